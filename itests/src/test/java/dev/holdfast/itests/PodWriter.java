package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/**
 * A pod that appends numbers to a file of its volume and prints each one after it was synced. It
 * ends when a write fails.
 */
final class PodWriter {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final Sandbox sandbox;
  private final String pod;

  PodWriter(Sandbox sandbox, String pod) {
    this.sandbox = sandbox;
    this.pod = pod;
  }

  /** Returns the last number that it printed. */
  long reported() {
    String line = sandbox.kubectl("logs", pod, "--tail=1");
    return line.matches("\\d+") ? Long.parseLong(line) : 0;
  }

  /** Returns the first number that it printed since it was started. */
  long first() {
    return Long.parseLong(sandbox.kubectl("logs", pod).lines().findFirst().orElseThrow());
  }

  /** Waits until it synced a number, and returns the last one that it printed. */
  long awaitNumber(long wanted) {
    Await.until(pod + " wrote " + wanted, LIMIT, () -> reported() >= wanted);
    return reported();
  }

  /** Waits until it wrote so many more. */
  void awaitMore(long count) {
    awaitNumber(reported() + count);
  }

  /** Fails unless the file has every number, and at least those that the pod printed. */
  void assertWhole() {
    long printed = reported();
    String script =
        "n=$(wc -l < /data/log); head -n $n /data/log > /tmp/log;"
            + " seq 1 $n | cmp - /tmp/log && echo $n";
    assertThat(Long.parseLong(sandbox.in(pod, script))).isGreaterThanOrEqualTo(printed);
  }

  void assertNeverRestarted() {
    JsonNode container = sandbox.object("pod", pod).at("/status/containerStatuses/0");
    assertThat(container.at("/restartCount").asInt(-1)).as("restarts of %s", pod).isZero();
  }
}
