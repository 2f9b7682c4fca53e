package dev.holdfast.shell.internal;

import dev.holdfast.client.CompletionNames;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.verbs.Candidates;
import dev.holdfast.commands.verbs.VerbParameter;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.support.completers.FileCompleter;
import org.apache.karaf.shell.support.completers.NullCompleter;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Completes the values of arguments and options, many of which are names in the store. */
final class StoreWords {
  private static final Logger LOG = LoggerFactory.getLogger(StoreWords.class);

  private final ResourceStore store;

  StoreWords(ResourceStore store) {
    this.store = store;
  }

  Completer completer(VerbParameter<?> parameter) {
    return switch (parameter.candidates()) {
      case NONE -> new StringsCompleter(Values.words(typeOf(parameter)));
      case FILES -> new FileCompleter();
      case VOLUMES,
          DELETED_VOLUMES,
          SNAPSHOTS,
          IMAGES,
          BACKUPS,
          JOBS,
          TOKENS,
          SETTINGS,
          NODES,
          DISKS,
          FILESYSTEMS ->
          words(parameter.candidates());
    };
  }

  /**
   * Returns the type of a parameter. The option {@code -o} is parsed as text, so that its error
   * message names it.
   */
  private static Class<?> typeOf(VerbParameter<?> parameter) {
    return parameter.equals(ShellVerb.OUTPUT) ? Output.Format.class : parameter.type();
  }

  private Completer words(Candidates candidates) {
    try {
      return new StringsCompleter(candidates.words(new CompletionNames(store)));
    } catch (StorageException e) {
      LOG.debug("nothing is completed", e);
      return NullCompleter.INSTANCE;
    }
  }
}
