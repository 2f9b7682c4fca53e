package dev.holdfast.shell.internal;

import dev.holdfast.client.NodeCommands;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.util.OptionalLong;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.osgi.framework.BundleContext;

/** {@code holdfast:status}. */
@Service
@Command(scope = "holdfast", name = "status", description = "Show this container and its nodes.")
public final class Status extends StoreCommand {
  @Reference private BundleContext context;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    OptionalLong pid = OptionalLong.of(ProcessHandle.current().pid());
    String port = context.getProperty("holdfast.api.port");
    return nodeViews()
        .status(new NodeCommands(resources).status(pid, port == null ? 0 : Integer.parseInt(port)));
  }
}
