package dev.holdfast.itests;

import java.nio.file.Path;
import java.util.stream.Stream;

/** Holdfast's own pod on a node of a sandbox, and its command in there. */
final class HoldfastPod {
  private static final String NAMESPACE = "--namespace=holdfast-system";

  private final Sandbox sandbox;
  private final String node;

  HoldfastPod(Sandbox sandbox, int number) {
    this.sandbox = sandbox;
    this.node = "node-" + number;
  }

  /** Returns its name; those of both, while it is being replaced. */
  String name() {
    return reported("{.items[*].metadata.name}");
  }

  /** Whether there is exactly one, which is another one and ready. */
  boolean isReplaced(String before) {
    return !name().contains(before)
        && reported("{.items[*].status.conditions[?(@.type==\"Ready\")].status}").equals("True");
  }

  /** Returns the identity of its container, which differs from that of later containers. */
  String container() {
    return reported("{.items[*].status.containerStatuses[*].containerID}");
  }

  private String reported(String path) {
    return sandbox.kubectl(
        NAMESPACE,
        "get",
        "pods",
        "--selector=app.kubernetes.io/component=node",
        "--field-selector=spec.nodeName=" + node,
        "--output=jsonpath=" + path);
  }

  /** Copies a file into its container; returns where it is there. */
  String put(String file) {
    String place = "/tmp/" + Path.of(file).getFileName();
    sandbox.kubectl(NAMESPACE, "cp", file, name() + ":" + place);
    return place;
  }

  /** Runs {@code holdfast} in its container. */
  Command.Result run(String... words) {
    Stream<String> exec = Stream.of("kubectl", NAMESPACE, "exec", name(), "--");
    Stream<String> holdfast =
        Stream.of("env", "HOLDFAST_SHELL_TIMEOUT=170", "/opt/holdfast/holdfast");
    return sandbox.run(
        Stream.of(exec, holdfast, Stream.of(words)).flatMap(all -> all).toArray(String[]::new));
  }

  /** Returns where its node's data are for the tests. */
  Path data() {
    return sandbox.data().resolve(node + "/var/lib/holdfast");
  }
}
