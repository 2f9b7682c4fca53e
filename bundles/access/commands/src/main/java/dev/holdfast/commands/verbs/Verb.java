package dev.holdfast.commands.verbs;

import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import java.util.List;

/**
 * One user command. Immutable.
 *
 * @param name words after {@code holdfast}, for example {@code volume create}
 * @param arguments in order; optional and repeated ones last
 * @param options in the order of the table
 * @param description of one or more lines; the first one is the summary of the verb
 * @param action implementation of the verb
 */
public record Verb(
    String name,
    List<VerbArgument<?>> arguments,
    List<VerbOption<?>> options,
    String description,
    Action action) {

  /** Implementation of a verb. */
  @FunctionalInterface
  public interface Action {
    /**
     * Runs the verb.
     *
     * @param call values of arguments and options, and the context
     * @return the result, which the caller prints
     * @throws WrongUse if arguments or options are inconsistent
     * @throws StorageException if the verb fails
     */
    Output run(VerbCall call) throws StorageException;
  }

  /** Copies the lists. */
  public Verb {
    arguments = List.copyOf(arguments);
    options = List.copyOf(options);
  }

  /** Returns the last word of the name. */
  public String word() {
    return name.substring(name.lastIndexOf(' ') + 1);
  }

  /** Returns the lines of the description. */
  public List<String> lines() {
    return description.lines().toList();
  }

  /** Returns the verb without some of its options. */
  Verb without(List<String> names) {
    return new Verb(
        name,
        arguments,
        options.stream().filter(option -> !names.contains(option.name())).toList(),
        description,
        action);
  }
}
