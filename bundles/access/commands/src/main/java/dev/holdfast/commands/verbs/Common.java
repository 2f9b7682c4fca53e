package dev.holdfast.commands.verbs;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Arguments and options of several verbs. */
final class Common {
  static final VerbArgument<String> VOLUME =
      VerbArgument.of("NAME", String.class, Candidates.VOLUMES, "The volume's name.");

  static final VerbArgument<String> NODE_NAME =
      VerbArgument.of("NAME", String.class, Candidates.NODES, "The node.");

  static final VerbOption<Boolean> NO_WAIT =
      VerbOption.flag("--no-wait", "Return once the request is stored.");

  static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 60, "Longest time to wait.");

  static final VerbOption<Integer> REPLICAS =
      VerbOption.of("--replicas", "N", Integer.class, "Number of replicas. Default: 3.");

  /** The repeated name of the object, for requests that cannot be undone. */
  static final VerbOption<String> CONFIRM =
      VerbOption.of(
          "--confirm",
          "NAME",
          String.class,
          "The name again, as a confirmation. Default: a terminal asks for it.");

  private Common() {}

  /**
   * Requires that the user repeats the name of an object, by {@link #CONFIRM} or on a terminal.
   *
   * @param name of the object
   * @param consequence the irreversible effect, a clause
   * @throws WrongUse if another name is given
   * @throws StorageException INVALID if no name is given
   */
  static void requireConfirmation(VerbCall call, String name, String consequence)
      throws StorageException {
    Optional<String> option = call.value(CONFIRM);
    Optional<String> given =
        option.isPresent()
            ? option
            : call.context().answer(consequence + "; type " + name + " to confirm: ");
    if (given.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, consequence + ": confirm it with --confirm " + name);
    }
    if (!given.get().strip().equals(name)) {
      throw new WrongUse(
          CONFIRM.name()
              + " "
              + given.get().strip()
              + ": expected "
              + name
              + "; nothing was changed");
    }
  }

  /** The option that names a node. */
  static VerbOption<String> node(String description) {
    return VerbOption.of("--node", "NODE", String.class, Candidates.NODES, description);
  }

  /**
   * Returns the values of an option of the form KEY=VALUE by key.
   *
   * @throws WrongUse for a value of another form
   */
  static Map<String, String> keyValues(VerbOption<String> option, VerbCall call) throws WrongUse {
    Map<String, String> values = new TreeMap<>();
    for (String pair : call.all(option)) {
      int at = pair.indexOf('=');
      if (at < 1) {
        throw new WrongUse(option.name() + " " + pair + ": expected KEY=VALUE");
      }
      values.put(pair.substring(0, at), pair.substring(at + 1));
    }
    return values;
  }
}
