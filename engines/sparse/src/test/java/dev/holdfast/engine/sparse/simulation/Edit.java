package dev.holdfast.engine.sparse.simulation;

/**
 * A change of one method of the engine, planted while its class is loaded.
 *
 * @param type the class, below the engine's package
 * @param method its name; for a lambda, the part before its number
 * @param what the changed part
 * @param call the name of the changed calls, or of their replacement
 * @param nth number of the changed call, from 1; 0 for all
 * @param result the value that the call or the method returns instead
 */
record Edit(String type, String method, What what, String call, int nth, int result) {
  /** The part that is changed. */
  enum What {
    /** Calls are removed. */
    CALL,
    /** Calls are redirected to the method with the same name and arguments in {@link Hooks}. */
    REDIRECTION,
    /** The method does nothing. */
    BODY,
    /** A hook replaces an argument of the method, given by its number. */
    BEGINNING
  }

  /** Removes all calls of a method. */
  static Edit without(String type, String method, String call) {
    return new Edit(type, method, What.CALL, call, 0, 0);
  }

  /** Removes all calls of a method, which then seem to return true. */
  static Edit saysYes(String type, String method, String call) {
    return new Edit(type, method, What.CALL, call, 0, 1);
  }

  /** Removes one of several calls. */
  static Edit withoutNth(String type, String method, String call, int nth) {
    return new Edit(type, method, What.CALL, call, nth, 0);
  }

  /** Makes a method have no effect. */
  static Edit empty(String type, String method) {
    return new Edit(type, method, What.BODY, "", 0, 0);
  }

  /** Makes a method return true without an effect. */
  static Edit yes(String type, String method) {
    return new Edit(type, method, What.BODY, "", 0, 1);
  }

  /** Replaces calls by those of a hook. */
  static Edit redirected(String type, String method, String call) {
    return new Edit(type, method, What.REDIRECTION, call, 0, 0);
  }

  /** Calls a hook at the start of the method. */
  static Edit begun(String type, String method, String hook) {
    return new Edit(type, method, What.BEGINNING, hook, 0, 0);
  }

  boolean in(String className, String name) {
    return className.endsWith("/" + type)
        && (name.equals(method) || (method.startsWith("lambda$") && name.startsWith(method)));
  }
}
