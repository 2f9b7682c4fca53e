package dev.holdfast.engine.sparse.simulation;

/**
 * A change of one method of the engine, planted while its class is loaded.
 *
 * @param type the class, below the engine's package
 * @param method its name; of a lambda, what comes before its number
 * @param what is changed
 * @param call the name of the calls that are changed, or of their replacement
 * @param nth which of these calls, from 1; all if 0
 * @param result what the call or the method returns instead
 */
record Edit(String type, String method, What what, String call, int nth, int result) {
  /** The part that is changed. */
  enum What {
    /** Calls are left out. */
    CALL,
    /** Calls go to the method of the same name and arguments in {@link Hooks}. */
    REDIRECTION,
    /** The method does nothing. */
    BODY,
    /** An argument of the method, by its number, is replaced by what a hook makes of it. */
    BEGINNING
  }

  /** Leaves out all calls of something. */
  static Edit without(String type, String method, String call) {
    return new Edit(type, method, What.CALL, call, 0, 0);
  }

  /** Leaves out all calls of something; it seems to have returned true. */
  static Edit saysYes(String type, String method, String call) {
    return new Edit(type, method, What.CALL, call, 0, 1);
  }

  /** Leaves out one of several calls. */
  static Edit withoutNth(String type, String method, String call, int nth) {
    return new Edit(type, method, What.CALL, call, nth, 0);
  }

  /** Makes a method do nothing. */
  static Edit empty(String type, String method) {
    return new Edit(type, method, What.BODY, "", 0, 0);
  }

  /** Makes a method return true, and do nothing. */
  static Edit yes(String type, String method) {
    return new Edit(type, method, What.BODY, "", 0, 1);
  }

  /** Replaces calls by those of a hook. */
  static Edit redirected(String type, String method, String call) {
    return new Edit(type, method, What.REDIRECTION, call, 0, 0);
  }

  /** Begins the method with a hook. */
  static Edit begun(String type, String method, String hook) {
    return new Edit(type, method, What.BEGINNING, hook, 0, 0);
  }

  boolean in(String className, String name) {
    return className.endsWith("/" + type)
        && (name.equals(method) || (method.startsWith("lambda$") && name.startsWith(method)));
  }
}
