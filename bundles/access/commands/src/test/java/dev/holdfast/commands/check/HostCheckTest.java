package dev.holdfast.commands.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.commands.CheckViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.check.CheckResult.Outcome;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks of a host whose files are in a directory, and of this host. */
class HostCheckTest {
  private static final HostCheck.Health WELL = List::of;

  @TempDir private Path directory;
  private Path root;
  private Path data;

  @BeforeEach
  void prepare() throws IOException {
    root = directory.resolve("root");
    data = directory.resolve("data");
    file("proc/sys/kernel/osrelease", "6.1.0-test\n");
    file("lib/modules/6.1.0-test/modules.builtin", "kernel/drivers/nvme/host/nvme-tcp.ko\n");
    file(
        "lib/modules/6.1.0-test/modules.dep",
        """
        kernel/drivers/block/nbd.ko.xz:
        kernel/drivers/scsi/iscsi_tcp.ko: kernel/drivers/scsi/libiscsi.ko
        """);
    file("sys/module/dm_crypt/refcnt", "0\n");
    file("dev/fuse", "");
    file("proc/1/comm", "systemd\n");
    file("proc/20/comm", "chronyd\n");
    file("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    4194304 kB\n");
  }

  private void file(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private CheckResult check(String name) {
    return check(name, false, WELL);
  }

  private CheckResult check(String name, boolean running, HostCheck.Health health) {
    return new HostCheck(root, data)
        .run(running, health).stream()
            .filter(result -> result.name().equals(name))
            .findFirst()
            .orElseThrow();
  }

  private void assertResult(String name, Outcome outcome, String... words) {
    CheckResult result = check(name);
    assertThat(result.outcome()).as(result.toString()).isEqualTo(outcome);
    assertThat(result.finding() + "; " + result.remedy()).contains(words);
    assertThat(result.remedy().isEmpty()).isEqualTo(outcome == Outcome.OK);
  }

  @Test
  void hostWithEverythingIsInOrder() {
    assertThat(new HostCheck(root, data).run(false, WELL))
        .filteredOn(result -> result.outcome() != Outcome.OK && !result.name().equals("space"))
        .isEmpty();
    assertThat(data).doesNotExist();
    assertThat(directory).isDirectoryNotContaining("glob:**.holdfast-check*");
  }

  @Test
  void missingModulesAreNamedWithTheirUse() throws Exception {
    Files.delete(root.resolve("lib/modules/6.1.0-test/modules.builtin"));
    assertResult("kernel", Outcome.WARNING, "6.1.0-test lacks nvme_tcp for devices of volumes");

    Files.delete(root.resolve("dev/fuse"));
    assertResult("fuse", Outcome.WARNING, "modprobe fuse");
  }

  @Test
  void multipathdMustIgnoreDevicesOfVolumes() throws Exception {
    file("proc/30/comm", "multipathd\n");
    assertResult("multipath", Outcome.WARNING, "vendor \"HOLDFAST\"");
    file("etc/multipath.conf", "# vendor \"HOLDFAST\"\n");
    assertResult("multipath", Outcome.WARNING, "multipathd runs");
    file("etc/multipath.conf", "blacklist { device { vendor \"HOLDFAST\" } }\n");
    assertResult("multipath", Outcome.OK, "names HOLDFAST");
  }

  @Test
  void clockNeedsAService() throws Exception {
    file("proc/20/comm", "bash\n");
    assertResult("clock", Outcome.WARNING, "chrony");
  }

  @Test
  void memoryBelowThatOfANodeIsAnError() throws Exception {
    file("proc/meminfo", "MemAvailable: 524288 kB\n");
    assertResult("memory", Outcome.WARNING, "512 MiB available");
    file("proc/meminfo", "MemAvailable: 102400 kB\n");
    assertResult("memory", Outcome.ERROR, "100 MiB available");
  }

  @Test
  void takenPortIsNamedWithItsOption() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Files.createDirectories(root.resolve("proc/net"));
      for (String table : List.of("proc/net/tcp", "proc/net/tcp6")) {
        Files.copy(Path.of("/").resolve(table), root.resolve(table));
      }
      Files.createDirectories(data);
      Files.writeString(
          data.resolve("holdfast.env"), "name=node-1\nnbd_port=" + other.getLocalPort() + "\n");

      assertResult("ports", Outcome.ERROR, Integer.toString(other.getLocalPort()), "--nbd-port N");
    }
  }

  @Test
  void remainsOfAnEarlierNodeAreFound() throws Exception {
    Files.createDirectories(data.resolve("disks/disk-1"));
    assertResult("data", Outcome.ERROR, "replicas of an earlier node");

    Files.writeString(data.resolve("holdfast.env"), "name=node-1\n");
    assertResult("data", Outcome.OK, "is that of a node");
    assertResult("node", Outcome.ERROR, "does not run", "holdfast up");

    Files.createFile(data.resolve("restore.ready"));
    assertResult("data", Outcome.ERROR, "holdfast cluster restore FILE");
  }

  @Test
  void healthOfARunningNodeDecides() {
    assertThat(check("node", true, WELL).outcome()).isEqualTo(Outcome.OK);
    for (HealthSeverity severity : HealthSeverity.values()) {
      HealthFinding finding =
          new HealthFinding(
              "VOLUME_FAULTED", severity, List.of("volume/v"), Optional.empty(), "bad", "mend it");
      CheckResult result = check("node", true, () -> List.of(finding));
      assertThat(result.outcome())
          .isEqualTo(severity == HealthSeverity.ERROR ? Outcome.ERROR : Outcome.WARNING);
      assertThat(result.finding()).contains("VOLUME_FAULTED");
    }
    HostCheck.Health away =
        () -> {
          throw new StorageException(ErrorCode.UNREACHABLE, "it does not answer");
        };
    assertThat(check("node", true, away).finding()).contains("it does not answer");
  }

  @Test
  void remediesAreBelowTheTable() {
    Output output =
        new CheckViews()
            .results(
                List.of(
                    CheckResult.ok("fuse", "/dev/fuse exists"),
                    CheckResult.error("ports", "other programs listen at 7443", "end them")));
    assertThat(output.as(Output.Format.TEXT))
        .isEqualTo(
            """
            CHECK   RESULT   FOUND
            fuse    ok       /dev/fuse exists
            ports   error    other programs listen at 7443

            ports: end them""");
    assertThat(output.as(Output.Format.JSON)).contains("\"result\" : \"error\"");
  }
}
