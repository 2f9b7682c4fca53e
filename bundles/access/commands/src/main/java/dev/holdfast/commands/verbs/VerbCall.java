package dev.holdfast.commands.verbs;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A call of a verb: its values and its context. Used by one thread. */
public final class VerbCall {
  private final VerbContext context;
  private final Map<VerbParameter<?>, List<?>> values;
  private boolean failed;

  /**
   * Creates a call.
   *
   * @param context of the call
   * @param values of the arguments and options that were given or have a fallback, each of the type
   *     of its parameter
   */
  public VerbCall(VerbContext context, Map<VerbParameter<?>, List<?>> values) {
    this.context = context;
    this.values = Map.copyOf(values);
  }

  /** Returns the context of the verb. */
  VerbContext context() {
    return context;
  }

  /** Returns all values of a parameter; none if it was not given. */
  <T> List<T> all(VerbParameter<T> parameter) {
    return values.getOrDefault(parameter, List.of()).stream().map(parameter.type()::cast).toList();
  }

  /** Returns the value of a parameter; empty if it was not given. */
  <T> Optional<T> value(VerbParameter<T> parameter) {
    return all(parameter).stream().findFirst();
  }

  /** Returns the value of a parameter that is required or has a fallback. */
  <T> T get(VerbParameter<T> parameter) {
    return value(parameter).orElseThrow(() -> new IllegalStateException(parameter.shown()));
  }

  OptionalInt number(VerbParameter<Integer> parameter) {
    return value(parameter).map(OptionalInt::of).orElse(OptionalInt.empty());
  }

  /** Returns whether a flag was given. */
  boolean has(VerbOption<Boolean> flag) {
    return value(flag).orElse(false);
  }

  /** Returns whether one of the parameters was given. */
  boolean hasAny(List<VerbParameter<?>> parameters) {
    return parameters.stream().anyMatch(values::containsKey);
  }

  /** Returns the wait that {@link Common#NO_WAIT} and {@link Common#TIMEOUT} set. */
  Waiting waiting() {
    return waiting(!has(Common.NO_WAIT), Common.TIMEOUT);
  }

  /** Returns a wait for at most the seconds of an option, if wanted. */
  Waiting waiting(boolean wanted, VerbOption<Integer> timeout) {
    return wanted
        ? new Waiting(Duration.ofSeconds(get(timeout)), context::progress)
        : Waiting.none();
  }

  /** Reports a failure to the user; the verb continues with the other items. */
  void report(StorageException failure) {
    context.report(failure);
    failed = true;
  }

  /** Marks the verb as failed although it has a result to show. */
  void fail() {
    failed = true;
  }

  /** Returns whether the verb failed although it has a result to show. */
  public boolean hasFailed() {
    return failed;
  }
}
