package dev.holdfast.rpc;

import io.grpc.Context;

/** Which node makes the call that is being served. */
public final class CallerNode {
  private static final Context.Key<String> NAME = Context.key("holdfast-caller-node");

  private CallerNode() {}

  /**
   * Returns the name in the caller's certificate.
   *
   * @throws IllegalStateException when no call is served on this thread
   */
  public static String current() {
    String name = NAME.get();
    if (name == null) {
      throw new IllegalStateException("no call of another node is served here");
    }
    return name;
  }

  /** Returns a context in which the calls are those of a node; for servers and for tests. */
  public static Context in(Context context, String node) {
    return context.withValue(NAME, node);
  }
}
