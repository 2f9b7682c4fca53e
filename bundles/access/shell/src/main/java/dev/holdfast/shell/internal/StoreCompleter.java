package dev.holdfast.shell.internal;

import dev.holdfast.client.CompletionNames;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Completes names that the store knows. */
abstract class StoreCompleter implements Completer {
  private static final Logger LOG = LoggerFactory.getLogger(StoreCompleter.class);

  @Reference private ResourceStore store;

  /** Returns the names. */
  abstract List<String> names(CompletionNames candidates) throws StorageException;

  @Override
  public final int complete(Session session, CommandLine line, List<String> found) {
    try {
      return new StringsCompleter(names(new CompletionNames(store))).complete(session, line, found);
    } catch (StorageException e) {
      LOG.debug("nothing is completed", e);
      return -1;
    }
  }
}
