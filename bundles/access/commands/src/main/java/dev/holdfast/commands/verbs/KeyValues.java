package dev.holdfast.commands.verbs;

import java.util.Map;
import java.util.TreeMap;

/** Values of options that have the form KEY=VALUE. */
final class KeyValues {
  private KeyValues() {}

  /**
   * Returns the values of an option by their keys.
   *
   * @throws WrongUse for a value of another form
   */
  static Map<String, String> of(VerbOption<String> option, VerbCall call) throws WrongUse {
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
