package dev.holdfast.itests;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A node of a sandbox, and what is to be seen on it while its kubelet cannot be asked. */
final class SandboxNode {
  private final Sandbox sandbox;
  private final int number;

  SandboxNode(Sandbox sandbox, int number) {
    this.sandbox = sandbox;
    this.number = number;
  }

  /** The node that a pod runs on. */
  static SandboxNode of(Sandbox sandbox, JsonNode pod) {
    String name = pod.at("/spec/nodeName").asText();
    return new SandboxNode(sandbox, Integer.parseInt(name.substring("node-".length())));
  }

  String name() {
    return "node-" + number;
  }

  /** Disconnects the node, which keeps running. */
  void cutOff() {
    sandbox.run("ip", "link", "set", "hf0-" + number, "down").succeeded();
  }

  void reconnect() {
    sandbox.run("ip", "link", "set", "hf0-" + number, "up").succeeded();
  }

  /** Pauses the kubelet, so that the pods of the node are not ended. */
  void stopKubelet() {
    sandbox.on(number, "pkill -STOP -x kubelet");
  }

  void continueKubelet() {
    sandbox.on(number, "pkill -CONT -x kubelet");
  }

  /**
   * Keeps the log of a container, also after its kubelet removed it, by a second name of the file.
   */
  Path keepLog(JsonNode pod) throws IOException {
    String folder = "default_" + pod.at("/metadata/name").asText() + "_" + uid(pod);
    Path log = sandbox.data().resolve(name() + "/var/log/pods/" + folder + "/main/0.log");
    return Files.createLink(sandbox.data().resolve("log/" + uid(pod)), log);
  }

  /** Returns the last number that a writer printed there. */
  static long lastNumber(Path log) throws IOException {
    return lines(log, "stdout")
        .filter(line -> line.matches("\\d+"))
        .mapToLong(Long::parseLong)
        .max()
        .orElse(0);
  }

  /** Returns what a writer complained about there. */
  static List<String> complaints(Path log) throws IOException {
    return lines(log, "stderr").toList();
  }

  /** A line has a time, the stream, whether it is complete, and the text. */
  private static Stream<String> lines(Path log, String stream) throws IOException {
    return Files.readAllLines(log, StandardCharsets.UTF_8).stream()
        .map(line -> line.split(" ", 4))
        .filter(words -> words.length == 4 && words[1].equals(stream))
        .map(words -> words[3]);
  }

  /**
   * Lets a process outside of any kubelet write into a pod's volume and wait until that is synced.
   *
   * @return the file in which its errors and then its exit code stand when it ends
   */
  Path write(JsonNode pod, String volume) {
    Path result = sandbox.data().resolve("log/attempt-" + uid(pod));
    String folder = "/var/lib/kubelet/pods/" + uid(pod) + "/volumes/kubernetes.io~csi/" + volume;
    String file = folder + "/mount/late";
    sandbox.on(
        number,
        "setsid sh -c 'echo late >> %1$s && sync -d %1$s; echo ended $?' > %2$s 2>&1 < /dev/null &"
            .formatted(file, result));
    return result;
  }

  /** Returns mounts of volumes, and the processes of one's device. */
  List<String> leftOf(String volume) {
    String find =
        "findmnt -rno TARGET | grep -E '%1$s|kubernetes.io.csi';"
            + " pgrep -af '^[^ ]*(nbdfuse|qemu-nbd) .*%1$s'; true";
    return sandbox.on(number, find.formatted(volume)).lines().toList();
  }

  private static String uid(JsonNode pod) {
    return pod.at("/metadata/uid").asText();
  }
}
