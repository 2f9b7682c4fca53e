package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods of a real Kubernetes of three nodes use volumes: what a user asks for goes through the API
 * server, the CSI sidecars, the kubelet, Holdfast's own pods, and the host's devices and mounts.
 * One sandbox serves all tests; each takes away what it made, and nothing may be left of it.
 */
@Tag("soak")
class KubernetesE2E {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir static Path directory;
  private static Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException {
    Sandbox.assumePossible();
    sandbox = Sandbox.start(directory);
  }

  @AfterAll
  static void stop() throws IOException {
    if (sandbox != null) {
      sandbox.close();
    }
  }

  @Test
  void aPodThatIsDeletedComesBackOnAnotherNodeWithAllThatItSynced() {
    sandbox.apply(Manifests.claim("moving", "64Mi"), Manifests.writer("mover", 1, "moving"));
    sandbox.awaitRunning("mover");
    long synced = writer("mover").awaitNumber(20);

    sandbox.delete("pod", "mover");
    sandbox.apply(Manifests.writer("mover", 2, "moving"));
    sandbox.awaitRunning("mover");

    assertThat(writer("mover").awaitNumber(synced + 20)).isGreaterThan(synced);
    writer("mover").assertWhole();
    sandbox.delete("pod", "mover");
    sandbox.deleteClaim("moving");
  }

  @Test
  void aPodHasARawDeviceThatMovesWithIt() {
    sandbox.apply(Manifests.blockClaim("raw", "64Mi"), Manifests.withDevice("first", 2, "raw"));
    sandbox.awaitRunning("first");

    String read = "dd if=/dev/volume bs=64k skip=16 count=16 2>/dev/null | md5sum";
    sandbox.in("first", "head -c 1048576 /dev/urandom > /tmp/written");
    sandbox.in("first", "dd if=/tmp/written of=/dev/volume bs=64k seek=16 conv=fsync,notrunc");
    String written = sandbox.in("first", "md5sum < /tmp/written");
    sandbox.delete("pod", "first");
    sandbox.apply(Manifests.withDevice("second", 3, "raw"));
    sandbox.awaitRunning("second");

    assertThat(sandbox.in("second", read)).isEqualTo(written);
    sandbox.delete("pod", "second");
    sandbox.deleteClaim("raw");
  }

  @Test
  void aPodWritesOnWhileHoldfastsOwnPodOnItsNodeIsReplaced() {
    sandbox.apply(Manifests.claim("kept", "64Mi"), Manifests.writer("keeper", 2, "kept"));
    sandbox.awaitRunning("keeper");
    writer("keeper").awaitNumber(10);
    String before = sandbox.holdfastPod(2);

    sandbox.kubectl("-n", "holdfast-system", "delete", "pod", before, "--wait=false");
    Await.until(
        "Holdfast's pod on node-2 is replaced",
        LIMIT,
        () -> sandbox.hasOtherHoldfastPod(2, before));

    writer("keeper").awaitMore(20);
    writer("keeper").assertWhole();
    writer("keeper").assertNeverRestarted();
    sandbox.delete("pod", "keeper");
    sandbox.deleteClaim("kept");
  }

  private static PodWriter writer(String pod) {
    return new PodWriter(sandbox, pod);
  }
}
