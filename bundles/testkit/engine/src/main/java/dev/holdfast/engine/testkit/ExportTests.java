package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportStatistics;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An export has the device's content, admits the hosts of its request, and can be withdrawn. */
abstract class ExportTests extends ExportKitTests {
  private static final int PIECE = 70_000;

  ExportTests(EngineLab lab) {
    super(lab);
  }

  @Test
  final void protocolsAreNamesAndStay() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      assertThat(volume.protocols())
          .isNotEmpty()
          .isEqualTo(volume.protocols())
          .allMatch(name -> name.matches("[a-z][a-z0-9-]*"));
    }
  }

  @Test
  final void exportHasTheBytesOfTheDevice() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      byte[] first = bytes(PIECE);
      byte[] second = bytes(PIECE);
      io(volume).write(4096, first);
      HostConnection host = connect(export(volume));
      assertThat(host.size()).isEqualTo(SIZE);
      assertThat(host.read(4096, PIECE)).isEqualTo(first);
      host.write(SIZE - PIECE, second);
      assertThat(io(volume).read(SIZE - PIECE, PIECE)).isEqualTo(second);
      io(volume).write(8192, second);
      assertThat(host.read(8192, PIECE)).isEqualTo(second);
      host.flush();
    }
  }

  @Test
  final void hostWritesAreKeptWhenTheVolumeIsClosed() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(PIECE);
    try (ExportingVolume volume = exporting(replicas)) {
      connect(export(volume)).write(12_288, content);
    }
    try (ExportingVolume volume = exporting(replicas)) {
      assertThat(io(volume).read(12_288, PIECE)).isEqualTo(content);
    }
  }

  @Test
  final void exportingAgainFindsTheSameExport() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      assertThat(export.endpoints()).isNotEmpty();
      HostConnection host = connect(export);
      assertThat(export(volume)).isSameAs(export);
      assertThat(export.endpoints()).isEqualTo(export(volume).endpoints());
      byte[] content = bytes(PIECE);
      host.write(0, content);
      assertThat(io(volume).read(0, PIECE)).isEqualTo(content);
    }
  }

  @Test
  final void onlyHostsOfTheRequestConnect() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      ExportRequest admitted = request(volume);
      NativeExport export = volume.export(admitted.withHosts(List.of()));
      assertThat(connects(export)).as("no host is admitted").isFalse();
      assertThat(volume.export(admitted)).isSameAs(export);
      HostConnection host = connect(export);
      assertThat(volume.export(admitted.withHosts(List.of()))).isSameAs(export);
      assertThat(writes(host, 0, bytes(4096))).as("the host is not admitted any more").isFalse();
      assertThat(connects(export)).as("no host is admitted any more").isFalse();
      assertThat(io(volume).read(0, 4096)).containsOnly(0);
    }
  }

  @Test
  final void withdrawnExportReachesTheVolumeNoMore() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      byte[] content = bytes(4096);
      NativeExport export = export(volume);
      HostConnection host = connect(export);
      host.write(0, content);
      export.close();
      export.close();
      assertThat(writes(host, 0, bytes(4096))).as("the export is withdrawn").isFalse();
      assertThat(connects(export)).as("the export is withdrawn").isFalse();
      assertThat(io(volume).read(0, 4096)).isEqualTo(content);
      NativeExport again = export(volume);
      assertThat(again).isNotSameAs(export);
      assertThat(connect(again).read(0, 4096)).isEqualTo(content);
    }
  }

  @Test
  final void closingTheVolumeWithdrawsItsExports() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    ExportingVolume volume = exporting(replicas);
    NativeExport export = export(volume);
    HostConnection host = connect(export);
    volume.close();
    assertThat(writes(host, 0, bytes(4096))).as("the volume is closed").isFalse();
    assertThat(connects(export)).as("the volume is closed").isFalse();
    try (ExportingVolume again = exporting(replicas)) {
      assertThat(io(again).read(0, 4096)).containsOnly(0);
    }
  }

  @Test
  final void unknownProtocolIsNamed() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      ExportRequest unknown = ExportRequest.of("carrier-pigeon", EXPORT, List.of());
      assertThatThrownBy(() -> volume.export(unknown))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("carrier-pigeon")
          .extracting(failure -> ((StorageException) failure).code())
          .isEqualTo(ErrorCode.UNSUPPORTED);
    }
  }

  @Test
  final void statisticsCountRequestsOfHosts() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      Optional<ExportStatistics> before = export.statistics();
      HostConnection host = connect(export);
      for (int i = 0; i < 5; i++) {
        host.write(i * 8192L, bytes(8192));
        host.read(i * 8192L, 4096);
      }
      host.flush();
      Optional<ExportStatistics> after = export.statistics();
      assertThat(after.isPresent()).isEqualTo(before.isPresent());
      if (after.isPresent()) {
        ExportStatistics was = before.orElseThrow();
        ExportStatistics is = after.get();
        assertThat(is.writes().requests() - was.writes().requests()).isEqualTo(5);
        assertThat(is.writes().bytes() - was.writes().bytes()).isEqualTo(5 * 8192);
        assertThat(is.reads().requests() - was.reads().requests()).isEqualTo(5);
        assertThat(is.reads().bytes() - was.reads().bytes()).isEqualTo(5 * 4096);
        assertThat(is.flushes().requests() - was.flushes().requests()).isEqualTo(1);
        assertThat(is.writes().errors()).isEqualTo(was.writes().errors());
      }
    }
  }

  @Test
  final void laterOpeningEndsTheExportBeforeItServes() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    ExportingVolume first = exporting(replicas);
    NativeExport export = export(first);
    HostConnection host = connect(export);
    host.write(0, bytes(4096));
    ExportingVolume second;
    try {
      second = (ExportingVolume) open(replicas, new RecordingListener());
    } catch (StorageException e) {
      // While the first engine runs, a rejection is as safe as a takeover.
      assertThat(e.code()).isIn(ErrorCode.BUSY, ErrorCode.UNREACHABLE, ErrorCode.CONFLICT);
      host.write(0, bytes(4096));
      return;
    }
    byte[] content = io(second).read(0, 4096);
    assertThat(writes(host, 0, bytes(4096))).as("the volume was taken over").isFalse();
    assertThat(io(second).read(0, 4096)).isEqualTo(content);
    assertThat(failureOf(() -> export.access(dev.holdfast.engine.export.PathAccess.OPTIMIZED)))
        .isEqualTo(ErrorCode.IO);
    first.close();
    byte[] after = bytes(4096);
    connect(export(second)).write(0, after);
    assertThat(io(second).read(0, 4096)).isEqualTo(after);
    second.close();
  }

  @Test
  final void severalHostsUseOneExport() throws Exception {
    try (ExportingVolume volume = exporting(provisioned(1))) {
      NativeExport export = export(volume);
      HostConnection one = connect(export);
      HostConnection other = connect(export);
      byte[] content = bytes(4096);
      one.write(0, content);
      assertThat(other.read(0, 4096)).isEqualTo(content);
      one.close();
      assertThatThrownBy(() -> one.read(0, 1)).isInstanceOf(IOException.class);
      assertThat(other.read(0, 4096)).isEqualTo(content);
    }
  }
}
