package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.lvm.blobs.links.LinkedDevice;
import dev.holdfast.engine.lvm.blobs.links.NbdLinks;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolLinks;
import dev.holdfast.engine.lvm.blobs.links.PoolTransport;
import dev.holdfast.engine.lvm.blobs.locks.GroupLocks;
import dev.holdfast.engine.lvm.blobs.locks.LockHolder;
import dev.holdfast.engine.lvm.blobs.locks.LockReport;
import dev.holdfast.engine.lvm.blobs.locks.SanlockLocks;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.lvm.testkit.SharedGroupLab;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A shared group on two nodes with real lock daemons; the nodes are virtual machines. */
@Tag("slow")
@Timeout(3600)
final class SharedGroupVmTest {
  private static final int KILLS = Boolean.getBoolean("holdfast.soak") ? 50 : 3;

  @TempDir private static Path folder;
  private static SharedGroupLab lab;
  private static GuestProgram tunnels;

  @BeforeAll
  static void setUp() throws StorageException {
    lab = SharedGroupLab.boot(folder, "2G");
    lab.createGroup();
  }

  @AfterAll
  static void off() throws StorageException {
    lab.close();
  }

  private static GroupLocks locks(int node) {
    return new SanlockLocks(lab.node(node), Clock.systemUTC());
  }

  private static String uuid(String volume) throws StorageException {
    return lab.sh(1, "lvs --noheadings -o uuid vg0/" + volume);
  }

  @Test
  void poolIsActiveOnOneNodeUntilItIsDeactivatedThere() throws StorageException {
    lab.sh(
        1,
        "lvcreate --yes --type thin -L 64M --poolmetadatasize 4M --thinpool p1 -V 128M -n t1 -kn -Zn vg0"
            + " && echo on-node-1 | dd of=/dev/vg0/t1 conv=fsync status=none");
    String pool = uuid("p1");
    ProgramResult refused = lab.result(2, "lvchange -aey vg0/t1");
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.errors()).contains("LV locked by other host: vg0/p1");
    for (int node : List.of(1, 2)) {
      LockHolder holder = locks(node).holder("vg0", pool).orElseThrow();
      assertThat(holder.hostId()).isEqualTo(1);
      assertThat(holder.renewedAt()).isBetween(holder.since().orElseThrow(), Instant.now());
      assertThat(holder.expiresAt()).isEqualTo(holder.renewedAt().plusSeconds(76));
    }

    lab.sh(1, "lvchange -an vg0/t1 && lvchange -an vg0/p1");
    assertThat(locks(2).holder("vg0", pool)).isEmpty();
    lab.sh(2, "lvchange -aey vg0/t1");
    assertThat(locks(1).holder("vg0", pool).map(LockHolder::hostId)).contains(2);
    assertThat(lab.sh(2, "head -c 9 /dev/vg0/t1")).isEqualTo("on-node-1");
    assertThat(lab.result(1, "lvchange -aey vg0/t1").exitCode()).isNotZero();

    lab.sh(2, "lvchange -an vg0/t1 && lvremove --yes vg0/p1");
    assertThat(lab.sh(1, "lvs --noheadings vg0; dmsetup ls")).doesNotContain("t1", "p1");
  }

  private static String activePools(int node) throws StorageException {
    return lab.sh(node, "dmsetup ls | grep -c p3-tpool || true");
  }

  /**
   * A takeover without waiting for the lock of a lost node would have to skip that lock. The group
   * then shows no holder, and an ordinary activation on another node succeeds too.
   */
  @Test
  @Tag("soak")
  void activationThatSkipsTheLockLetsAnotherNodeActivateThePoolToo() throws StorageException {
    lab.sh(
        1,
        "lvcreate --yes --type thin -L 64M --poolmetadatasize 4M --thinpool p3 -V 64M -n t3 -kn -Zn vg0"
            + " && lvchange -an vg0/t3 && lvchange -an vg0/p3");
    String pool = uuid("p3");
    lab.sh(2, "lvchange -aey --lockopt skiplv vg0/t3");
    assertThat(activePools(2)).isEqualTo("1");
    assertThat(locks(2).holder("vg0", pool)).as("the holder that other nodes see").isEmpty();

    lab.sh(1, "lvchange -aey vg0/t3");
    assertThat(List.of(activePools(1), activePools(2)))
        .as("pools that two nodes have active at a time")
        .containsExactly("1", "1");
    assertThat(locks(2).holder("vg0", pool).map(LockHolder::hostId)).contains(1);

    lab.sh(2, "lvchange -an --lockopt skiplv vg0/t3");
    lab.sh(1, "lvchange -an vg0/t3 && lvremove --yes vg0/p3");
  }

  /** Creates a certificate for each node, in a folder that the machines share with this one. */
  private static void certify() throws Exception {
    Path first = tls(1);
    NodeTls unused =
        TlsDirectory.prepare(first, "node-1", List.of(lab.address(1)), Clock.systemUTC());
    NodeAuthority authority = TlsDirectory.authority(first, Clock.systemUTC());
    String request = TlsDirectory.request(tls(2), "node-2", List.of(lab.address(2)));
    TlsDirectory.accept(
        tls(2), authority.certificate(), authority.sign(TlsDirectory.parseRequest(request)));
  }

  private static Path tls(int node) {
    return Path.of("target", "shared-group", "tls-" + node).toAbsolutePath();
  }

  private static GuestExporter exporter(int node, long generation) throws Exception {
    return new GuestExporter(lab, node, tls(node), "/dev/vg0/t2", "t2", generation);
  }

  /** The links of node 2, whose tunnels run in a process of that machine. */
  private static PoolLinks links() throws StorageException {
    tunnels =
        new GuestProgram(
            lab.node(2),
            TunnelsInGuest.class,
            List.of(lab.address(2), "node-2", tls(2).toString()));
    return new NbdLinks(
        lab.node(2),
        (device, name, generation) -> {
          throw new AssertionError("exports are made inside the machines");
        },
        address -> {
          try {
            String line = address.node() + " " + address.host() + " " + address.port();
            return new PoolTransport.Endpoint(tunnels.ask(line), 0);
          } catch (IOException e) {
            throw StorageException.io("tunnel", e);
          }
        });
  }

  /** Starts verified writes, which continue until the file /run/stop exists. */
  private static HostProcess fio(int node, LinkedDevice device) throws StorageException {
    String command =
        "rm -f /run/stop; exec fio --name=x --filename=%s --ioengine=libaio --direct=1 --rw=randwrite"
            + " --bs=4k --iodepth=8 --size=32M --rate_iops=200 --verify=crc32c --verify_backlog=64"
            + " --verify_state_save=0 --time_based --runtime=3500 --trigger-file=/run/stop"
            + " --write_lat_log=/run/fio --output-format=json --output=/run/fio.json";
    String text = command.formatted(device.device());
    return lab.node(node).start(List.of("/bin/bash", "-c", text));
  }

  /** Waits until a device has completed further writes. */
  private static void awaitWrites(int node, LinkedDevice device) throws StorageException {
    String stat = "/sys/block/" + device.device().getFileName() + "/stat";
    lab.sh(
        node,
        "writes() { awk '{print $5}' "
            + stat
            + "; }; goal=$(($(writes) + 100)); for i in $(seq 600); do"
            + " [ $(writes) -lt $goal ] || exit 0; sleep 0.1; done; exit 1");
  }

  /** Waits until the kernel has detected the end of a connection. */
  private static void awaitLost(PoolLinks links) throws StorageException {
    boolean lost = false;
    for (int look = 0; look < 200 && !lost; look++) { // each check runs a program in the machine
      lost = links.lost(Set.of("t2")).contains("t2");
    }
    assertThat(lost).as("the connection is lost").isTrue();
  }

  @Test
  void requestsWaitForAnExporterThatIsKilledAndForOneThatMoves() throws Exception {
    lab.sh(
        1,
        "lvcreate --yes --type thin -L 64M --poolmetadatasize 4M --thinpool p2 -V 64M -n t2 -kn -Zn vg0");
    certify();
    GuestExporter exporter = exporter(1, 1);
    PoolLinks first = links();
    LinkedDevice device = first.connect(exporter.address(), "t2");
    assertThat(lab.sh(2, "blockdev --getsize64 " + device.device())).isEqualTo("67108864");
    HostProcess writer = fio(2, device);
    awaitWrites(2, device);
    assertThat(first.lost(Set.of("t2"))).as("a connection that serves requests").isEmpty();
    awaitWrites(2, device);

    for (int kill = 1; kill <= KILLS; kill++) {
      PoolAddress gone = exporter.address();
      exporter.kill();
      awaitLost(first);
      assertThatThrownBy(() -> first.reconnect(device, gone, "t2"))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
      exporter = exporter(1, kill + 1);
      first.reconnect(device, exporter.address(), "t2");
      assertThat(first.lost(Set.of("t2"))).isEmpty();
      awaitWrites(2, device);
    }

    assertThat(tunnels.kill()).isEqualTo(128 + 9);
    awaitLost(first);
    PoolLinks next = links();
    exporter.stop();
    lab.sh(1, "lvchange -an vg0/t2 && lvchange -an vg0/p2");
    lab.sh(2, "lvchange -aey vg0/t2 && lvextend --yes -L 128M vg0/t2");
    GuestExporter third = exporter(2, KILLS + 2);
    assertThatThrownBy(
            () ->
                next.reconnect(
                    device,
                    new PoolAddress("node-2", lab.address(2), third.address().port(), KILLS + 1),
                    "t2"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    assertThat(next.connect(third.address(), "t2")).isEqualTo(device);
    assertThat(lab.sh(2, "blockdev --getsize64 " + device.device())).isEqualTo("134217728");
    awaitWrites(2, device);

    lab.sh(2, "touch /run/stop");
    assertThat(writer.exit().get()).as("verified writes").isZero();
    assertThat(lab.sh(2, "jq '.jobs[0].error' /run/fio.json")).isEqualTo("0");
    System.out.println(
        KILLS
            + " kills of the exporter and a move, longest times without a completed write, ms: "
            + lab.sh(2, FioLog.longestGaps(KILLS + 2) + " | xargs"));
    lab.sh(2, "dmsetup create holder --table '0 8 linear " + device.device() + " 0'");
    assertThatThrownBy(() -> next.disconnect(device))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    lab.sh(2, "dmsetup remove holder");
    next.disconnect(device);
    next.disconnect(device);
    assertThat(next.find("t2")).isEmpty();
    assertThatThrownBy(() -> next.reconnect(device, third.address(), "t2"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    third.stop();
    assertThat(tunnels.end()).isZero();
    lab.sh(2, "lvchange -an vg0/t2 && lvremove --yes vg0/p2");
  }

  private static List<String> missing() throws StorageException {
    return locks(2).inspect("vg0").missing().stream().map(LockReport.Missing::what).toList();
  }

  @Test
  @Tag("soak")
  void nodeSaysWhatItLacksAndJoinsAgain() throws StorageException {
    assertThat(locks(1).inspect("vg0")).isEqualTo(new LockReport("sanlock", true, true, List.of()));
    assertThat(locks(2).inspect("vg0").usable()).isTrue();
    assertThatThrownBy(() -> locks(2).inspect("vg9")).hasMessageContaining("does not exist");

    lab.sh(2, "vgchange --lock-stop vg0");
    assertThat(missing()).containsExactly("lock space lvm_vg0");
    lab.sh(
        2,
        "kill $(pidof lvmlockd); sanlock shutdown; while pidof lvmlockd sanlock; do sleep 0.1; done");
    assertThat(missing()).containsExactly("daemon sanlock", "daemon lvmlockd");
    lab.sh(2, "mv /etc/lvm/lvmlocal.conf /run/lvmlocal.conf");
    assertThat(missing())
        .containsExactly(
            "setting global/use_lvmlockd",
            "setting local/host_id",
            "daemon sanlock",
            "daemon lvmlockd");
    assertThatThrownBy(() -> locks(2).start("vg0")).hasMessageContaining("host_id");

    lab.sh(2, "mv /run/lvmlocal.conf /etc/lvm && systemctl enable --now sanlock lvmlockd");
    locks(2).start("vg0");
    locks(2).start("vg0");
    assertThat(locks(2).inspect("vg0").usable()).isTrue();
  }
}
