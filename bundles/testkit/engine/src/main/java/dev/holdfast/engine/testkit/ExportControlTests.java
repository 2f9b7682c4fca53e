package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** An export is held and limited, and its access state changes, during use by hosts. */
abstract class ExportControlTests extends ExportKitTests {
  private static final Duration DRAIN = Duration.ofSeconds(30);
  private static final long A_MOMENT = 200;
  private static final Duration LOOKS = Duration.ofMillis(100);
  private static final int RATE = 2;
  private static final int HOSTS = 4;

  ExportControlTests(EngineLab lab) {
    super(lab);
  }

  @Test
  final void heldRequestWaitsWithoutAnErrorAndTakesEffectAfterwards() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      HostConnection host = connect(export);
      byte[] before = bytes(4096);
      byte[] after = bytes(4096);
      host.write(0, before);
      ExportHold hold = export.hold(DRAIN);
      Future<Void> write = threads.submit(writing(host, after));
      assertThatThrownBy(() -> write.get(A_MOMENT, TimeUnit.MILLISECONDS))
          .as("a request that a host makes during a hold waits")
          .isInstanceOf(TimeoutException.class);
      assertThat(io(volume).read(0, 4096)).isEqualTo(before);
      io(volume).write(8192, before);
      hold.close();
      hold.close();
      write.get();
      assertThat(io(volume).read(0, 4096)).isEqualTo(after);
      assertThat(host.read(8192, 4096)).isEqualTo(before);
    }
  }

  private static Callable<Void> writing(HostConnection host, byte[] content) {
    return () -> {
      host.write(0, content);
      return null;
    };
  }

  @Test
  final void nothingChangesBetweenTheReturnOfHoldAndItsEnd() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      List<WritingHost> hosts = new ArrayList<>();
      for (int i = 0; i < HOSTS; i++) {
        hosts.add(new WritingHost(connect(export), (long) i * WritingHost.REGION, threads));
      }
      for (int i = 0; i < 5; i++) {
        hosts.get(0).awaitProgress();
        ExportHold hold = export.hold(DRAIN);
        checkUnchanged(volume);
        hold.close();
      }
      for (WritingHost host : hosts) {
        host.awaitProgress();
        host.finish();
      }
    }
  }

  private static void checkUnchanged(ExportingVolume volume) throws StorageException {
    byte[] first = io(volume).read(0, HOSTS * WritingHost.REGION);
    long begin = System.nanoTime();
    do {
      assertThat(io(volume).read(0, HOSTS * WritingHost.REGION))
          .as("content during a hold")
          .isEqualTo(first);
    } while (System.nanoTime() - begin < LOOKS.toNanos());
  }

  @Test
  final void heldExportIsBusy() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      ExportHold hold = export.hold(DRAIN);
      assertThat(failureOf(() -> export.hold(DRAIN))).isEqualTo(ErrorCode.BUSY);
      assertThat(failureOf(() -> export.limit(ExportLimits.NONE))).isEqualTo(ErrorCode.BUSY);
      assertThat(failureOf(() -> export(volume))).isEqualTo(ErrorCode.BUSY);
      hold.close();
      export.hold(DRAIN).close();
      assertThat(connects(export)).isTrue();
    }
  }

  @Test
  final void withdrawingEndsAHold() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      HostConnection host = connect(export);
      ExportHold hold = export.hold(DRAIN);
      export.close();
      hold.close();
      assertThat(writes(host, 0, bytes(4096))).as("the export is withdrawn").isFalse();
      byte[] content = bytes(4096);
      connect(export(volume)).write(0, content);
      assertThat(io(volume).read(0, 4096)).isEqualTo(content);
    }
  }

  @Test
  final void closingTheVolumeEndsAHold() throws Exception {
    ExportingVolume volume = exporting(provisioned(1));
    NativeExport export = export(volume);
    HostConnection host = connect(export);
    ExportHold hold = export.hold(DRAIN);
    volume.close();
    hold.close();
    assertThat(writes(host, 0, bytes(4096))).as("the volume is closed").isFalse();
  }

  @Test
  final void limitOfRequestsIsKeptOrRefused() throws Exception {
    checkLimit(new ExportLimits(RATE, 0, 0, 0, 0, 0, 1), "requests");
  }

  @Test
  final void limitOfWritesIsKeptOrRefused() throws Exception {
    checkLimit(new ExportLimits(0, 0, 0, 0, RATE, 0, 1), "writes");
  }

  @Test
  final void limitOfBytesIsKeptOrRefused() throws Exception {
    checkLimit(new ExportLimits(0, RATE * 4096L, 0, 0, 0, 0, 1), "bytes");
  }

  @Test
  final void limitOfWrittenBytesIsKeptOrRefused() throws Exception {
    checkLimit(new ExportLimits(0, 0, 0, 0, 0, RATE * 4096L, 1), "bytesWritten");
  }

  @Test
  final void limitsOfReadsAreKeptOrRefused() throws Exception {
    checkLimit(new ExportLimits(0, 0, RATE, RATE * 4096L, 0, 0, 1), "reads");
  }

  @Test
  final void limitsTogetherAreAcceptedOrRefusedByName() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      accepted(export(volume), new ExportLimits(9, 90_000, 8, 80_000, 7, 70_000, 5), "");
    }
  }

  private static boolean accepted(NativeExport export, ExportLimits limits, String name)
      throws StorageException {
    try {
      export.limit(limits);
      return true;
    } catch (StorageException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED);
      assertThat(e).hasMessageContaining(name);
      assertThat(e.getMessage()).containsPattern("requests|bytes|reads|writes|burst");
      return false;
    }
  }

  /** Checks a limit: twice the amount of one second takes about one second more than the burst. */
  private void checkLimit(ExportLimits limits, String name) throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      HostConnection host = connect(export);
      if (accepted(export, limits, name)) {
        long start = System.nanoTime();
        for (int i = 0; i < 2 * RATE; i++) {
          if (name.equals("reads")) {
            host.read(i * 4096L, 4096);
          } else {
            host.write(i * 4096L, bytes(4096));
          }
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .as("time of %d requests under %s", 2 * RATE, limits)
            .isGreaterThan(Duration.ofMillis(700));
        export.limit(ExportLimits.NONE);
      }
      host.write(0, bytes(1 << 20));
    }
  }

  @Test
  final void inaccessiblePathRefusesRequestsUntilItIsOptimizedAgain() throws Exception {
    checkAccess(PathAccess.INACCESSIBLE);
  }

  @Test
  final void standbyPathRefusesRequestsUntilItIsOptimizedAgain() throws Exception {
    checkAccess(PathAccess.STANDBY);
  }

  private void checkAccess(PathAccess state) throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      export.access(PathAccess.OPTIMIZED);
      HostConnection host = connect(export);
      byte[] content = bytes(4096);
      boolean supported = true;
      try {
        export.access(state);
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED);
        supported = false;
      }
      assertThat(writes(host, 0, content))
          .as("write by a path in %s", state)
          .isNotEqualTo(supported);
      if (supported) {
        assertThat(io(volume).read(0, 4096)).containsOnly(0);
        export.access(PathAccess.OPTIMIZED);
        connect(export).write(0, content);
      } else {
        assertThat(failureOf(() -> volume.export(request(volume).withAccess(state))))
            .isEqualTo(ErrorCode.UNSUPPORTED);
      }
      assertThat(io(volume).read(0, 4096)).isEqualTo(content);
    }
  }
}
