package dev.holdfast.engine.lvm.blobs.internal.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Outputs of sanlock 3.8.5 and lvmlockd 2.03.16, recorded in two virtual machines. */
class SanlockOutputTest {
  private static final String LEASE =
      """
      read_leader done 0
      magic 0x6152010
      version 0x60004
      flags 0x10
      sector_size 512
      num_hosts 2000
      max_hosts 2000
      owner_id 1
      owner_generation 1
      lver 1
      space_name lvm_vg0
      resource_name ZkFbBH-8NGd-WsWF-aCjt-ssdb-m2wd-oHzS6M
      timestamp 39
      checksum 0xa0e39af0
      io_timeout 0
      write_id 1
      write_generation 1
      write_timestamp 39
      """;
  private static final String HOSTS =
      """
      lockspace lvm_vg0
      1 timestamp 22
          last_check=27
          last_live=27
          last_req=0
          owner_id=1
          owner_generation=1
          timestamp=22
          io_timeout=2
          owner_name=ca137adf-a7c0-4da8-a69c-cd81a9ba1560.vm2
      2 timestamp 25
          last_check=27
          last_live=26
          last_req=0
          owner_id=2
          owner_generation=3
          timestamp=25
          io_timeout=10
          owner_name=84655922-f6f9-418d-a4fc-8d9d642082c0.vm3
      """;
  private static final String INFO =
      """
      VG vg0 lock_type=sanlock Be1nMn-fDBf-IpoD-STHH-Tvqp-PPXG-2B6MtK
      LS sanlock lvm_vg0
      LK VG un ver 8
      LK LV ex ZHoFoY-qbn6-dVwD-cJL4-21XK-jufn-TUGDqQ
      """;

  @Test
  void leaseIsHeldByItsOwnerUntilItsTimeIsZero() throws Exception {
    assertThat(DiskLease.parse(LEASE)).isEqualTo(new DiskLease(1, 1, 39));
    assertThat(DiskLease.parse(LEASE).isFree()).isFalse();
    String released =
        LEASE
            .replace("\ntimestamp 39", "\ntimestamp 0")
            .replace("write_timestamp 39", "write_timestamp 58");
    assertThat(DiskLease.parse(released)).isEqualTo(new DiskLease(1, 1, 0));
    assertThat(DiskLease.parse(released).isFree()).isTrue();
  }

  @Test
  void hostsOfALockSpaceAreRead() throws Exception {
    LockSpaceHost first =
        new LockSpaceHost(1, "ca137adf-a7c0-4da8-a69c-cd81a9ba1560.vm2", 1, 22, 27, 2);
    LockSpaceHost second =
        new LockSpaceHost(2, "84655922-f6f9-418d-a4fc-8d9d642082c0.vm3", 3, 25, 26, 10);
    assertThat(LockSpaceHost.parse(HOSTS)).containsExactly(first, second);
    assertThat(LockSpaceHost.parse(HOSTS.lines().skip(1).reduce("", (a, b) -> a + b + "\n")))
        .as("without the name of the lock space, as for one of them")
        .containsExactly(first, second);
    assertThat(LockSpaceHost.parse("")).isEmpty();
  }

  @Test
  void leaseExpiresAfterEightTimeLimitsAndTheWatchdog() throws Exception {
    assertThat(LockSpaceHost.parse(HOSTS))
        .extracting(LockSpaceHost::expiresAt)
        .containsExactly(27L + 8 * 2 + 60, 26L + 8 * 10 + 60);
  }

  @Test
  void hostThatJoinedAgainOrLeftDoesNotKeepItsLease() {
    DiskLease lease = new DiskLease(1, 4, 39);
    assertThat(new LockSpaceHost(1, "", 4, 22, 27, 2).keeps(lease)).isTrue();
    assertThat(new LockSpaceHost(1, "", 5, 22, 27, 2).keeps(lease)).isFalse();
    assertThat(new LockSpaceHost(1, "", 4, 0, 27, 2).keeps(lease)).isFalse();
  }

  @Test
  void lockSpaceIsFoundByItsWholeName() {
    assertThat(LockDaemons.lists(INFO, "vg0")).isTrue();
    assertThat(LockDaemons.lists(INFO, "vg")).isFalse();
    assertThat(LockDaemons.lists("", "vg0")).isFalse();
  }

  @Test
  void outputOfAnotherVersionIsReported() {
    assertThatThrownBy(() -> DiskLease.parse(LEASE.replace("owner_id", "owner")))
        .hasMessageContaining("\"owner_id\" is missing")
        .hasMessageContaining("install sanlock 3.8");
    assertThatThrownBy(() -> LockSpaceHost.parse(HOSTS.replace("=27", "=soon")))
        .hasMessageContaining("last_live is \"soon\"");
  }
}
