package dev.holdfast.shell.internal;

import dev.holdfast.client.Explanations;
import dev.holdfast.commands.ExplanationViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-why}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-why",
    description = "Explain who holds a volume, who waits for it, and why.")
public final class VolumeWhy extends StoreCommand {
  @Argument(name = "name", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String name;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return new ExplanationViews().explanation(new Explanations(resources).why(name));
  }
}
