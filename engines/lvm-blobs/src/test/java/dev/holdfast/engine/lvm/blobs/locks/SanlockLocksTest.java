package dev.holdfast.engine.lvm.blobs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Locks by outputs that were recorded in two virtual machines. */
class SanlockLocksTest {
  private static final Instant NOW = Instant.parse("2026-11-29T02:00:00Z");
  private static final String POOL = "ZkFbBH-8NGd-WsWF-aCjt-ssdb-m2wd-oHzS6M";
  private static final String GROUP =
      """
      {"report": [{"vg": [{"vg_name":"vg0", "vg_uuid":"HVFyvB", "vg_size":"2143289344",
       "vg_free":"1606418432", "vg_extent_size":"4194304", "vg_lock_type":"%s",
       "vg_missing_pv_count":"0", "vg_exported":"", "vg_tags":""}]}]}
      """;
  private static final String VOLUMES =
      """
      {"report": [{"lv": [{"lv_uuid":"%s", "lv_lockargs":"1.0.0:70254592"},
       {"lv_uuid":"kJbmWB-thin", "lv_lockargs":""}]}]}
      """;
  private static final String LEASE =
      """
      read_leader done 0
      owner_id 1
      owner_generation 1
      timestamp 39
      io_timeout 0
      """;
  private static final String HOSTS =
      """
      1 timestamp 61
          last_check=64
          last_live=64
          owner_id=1
          owner_generation=1
          timestamp=61
          io_timeout=2
          owner_name=3c88d91f-1865-41cd-a372-4799bd71dd94.vm2
      """;
  private static final String INFO = "VG vg0 lock_type=sanlock HVFyvB\nLS sanlock lvm_vg0\n";

  private final RecordedPrograms host =
      new RecordedPrograms()
          .prints("/vgs ", GROUP.formatted("sanlock"))
          .prints("/lvs ", VOLUMES.formatted(POOL))
          .prints("/lvmconfig ", "use_lvmlockd=1\nhost_id=2")
          .prints("lvmlockctl --info", INFO)
          .prints("/sanlock client status", "daemon x\n    monotime=70")
          .prints("host_status", HOSTS)
          .prints("read_leader", LEASE);
  private final GroupLocks locks = new SanlockLocks(host, Clock.fixed(NOW, ZoneOffset.UTC));

  private List<String> missing() throws StorageException {
    LockReport report = locks.inspect("vg0");
    assertThat(report.usable()).isEqualTo(report.missing().isEmpty());
    return report.missing().stream().map(LockReport.Missing::what).toList();
  }

  @Test
  void hostThatLacksNothingCanUseTheGroup() throws Exception {
    assertThat(locks.inspect("vg0")).isEqualTo(new LockReport("sanlock", true, true, List.of()));
  }

  @Test
  void groupOfOneHostNeedsNoDaemons() throws Exception {
    host.prints("/vgs ", GROUP.formatted("")).without("lvmlockd").without("sanlock");
    assertThat(locks.inspect("vg0")).isEqualTo(new LockReport("none", true, true, List.of()));
    locks.start("vg0");
    assertThat(host.calls()).noneMatch(call -> call.contains("lock-start"));
  }

  @Test
  void eachThingThatAHostLacksIsNamed() throws Exception {
    host.without("lvmlockd").without("sanlock");
    assertThat(missing()).containsExactly("program lvmlockd", "program sanlock");
    assertThatThrownBy(() -> locks.start("vg0"))
        .hasMessageContaining("apt-get install lvm2-lockd")
        .hasMessageContaining("apt-get install sanlock")
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  @Test
  void settingsAndDaemonsThatAHostLacksAreNamed() throws Exception {
    host.fails("/vgs ", 5, "Cannot access VG vg0 with lock type sanlock that requires lvmlockd.")
        .prints("/lvmconfig ", "use_lvmlockd=0\nhost_id=0")
        .fails("/sanlock client status", 1, "")
        .fails("lvmlockctl --info", 255, "Cannot connect to lvmlockd.");
    assertThat(missing())
        .containsExactly(
            "setting global/use_lvmlockd",
            "setting local/host_id",
            "daemon sanlock",
            "daemon lvmlockd");
  }

  @Test
  void lockSpaceThatIsNotJoinedIsNamed() throws Exception {
    host.prints("lvmlockctl --info", "");
    assertThat(missing()).containsExactly("lock space lvm_vg0");
    assertThatThrownBy(() -> locks.holder("vg0", POOL))
        .hasMessageContaining("vgchange --lock-start vg0");
    host.prints("vgchange --config", "");
    assertThatThrownBy(() -> locks.start("vg0"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
    assertThat(host.calls()).anyMatch(call -> call.endsWith(" --lock-start vg0"));
  }

  @Test
  void holderIsTheOwnerOfTheLease() throws Exception {
    assertThat(locks.holder("vg0", POOL))
        .contains(
            new LockHolder(
                1,
                Optional.of("3c88d91f-1865-41cd-a372-4799bd71dd94.vm2"),
                Optional.of(NOW.minusSeconds(6 + 22)),
                NOW.minusSeconds(6),
                NOW.plusSeconds(64 + 76 - 70)));
    assertThat(host.calls())
        .anyMatch(call -> call.endsWith("lvm_vg0:" + POOL + ":/dev/mapper/vg0-lvmlock:70254592"));
  }

  @Test
  void lockIsFreeAfterItsReleaseItsExpiryAndTheReturnOfItsOwner() throws Exception {
    host.prints("read_leader", LEASE.replace("timestamp 39", "timestamp 0"));
    assertThat(locks.holder("vg0", POOL)).isEmpty();
    host.prints("read_leader", LEASE);
    host.prints("/sanlock client status", "    monotime=" + (64 + 76));
    assertThat(locks.holder("vg0", POOL)).isEmpty();
    host.prints("/sanlock client status", "    monotime=" + (64 + 75));
    assertThat(locks.holder("vg0", POOL)).isPresent();
    host.prints("host_status", HOSTS.replace("owner_generation=1", "owner_generation=2"));
    assertThat(locks.holder("vg0", POOL)).isEmpty();
  }

  /** Nodes look every few seconds, and each program costs much on a small machine. */
  @Test
  void looksRunFewPrograms() throws Exception {
    LockReport unused = locks.inspect("vg0");
    assertThat(programs())
        .containsExactly("vgs", "lvmconfig", "sanlock", "lvmlockctl", "lvmlockctl");
    host.calls().clear();
    assertThat(locks.holder("vg0", POOL)).isPresent();
    assertThat(programs()).containsExactly("lvmlockctl", "lvs", "sanlock", "sanlock", "sanlock");
  }

  private List<String> programs() {
    return host.calls().stream()
        .map(call -> call.split(" ", 2)[0].substring("/sbin/".length()))
        .toList();
  }

  @Test
  void volumeWithoutALockOrUnknownIsRefused() {
    assertThatThrownBy(() -> locks.holder("vg0", "kJbmWB-thin"))
        .hasMessageContaining("has no lock of sanlock");
    assertThatThrownBy(() -> locks.holder("vg0", "absent"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }
}
