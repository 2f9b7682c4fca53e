package dev.holdfast.rpc;

import io.grpc.Context;

/** The node whose call this thread serves. */
public final class CallerNode {
  private static final Context.Key<String> NAME = Context.key("holdfast-caller-node");

  private CallerNode() {}

  /**
   * Returns the name in the caller's certificate.
   *
   * @throws IllegalStateException when this thread does not serve a call
   */
  public static String current() {
    String name = NAME.get();
    if (name == null) {
      throw new IllegalStateException("no call of another node is served here");
    }
    return name;
  }

  /** Returns a context whose calls originate from a node; for servers and tests. */
  public static Context in(Context context, String node) {
    return context.withValue(NAME, node);
  }
}
