package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.lvm.testkit.SharedGroupLab;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A shared group on two nodes with real lock daemons; the nodes are virtual machines. */
@Tag("slow")
@Timeout(900)
final class SharedGroupVmTest {
  @TempDir private static Path folder;
  private static SharedGroupLab lab;

  @BeforeAll
  static void setUp() throws StorageException {
    lab = SharedGroupLab.boot(folder, "2G");
    lab.createGroup();
  }

  @AfterAll
  static void off() throws StorageException {
    lab.close();
  }

  @Test
  void poolIsActiveOnOneNodeUntilItIsDeactivatedThere() throws StorageException {
    lab.sh(
        1,
        "lvcreate --yes --type thin -L 64M --poolmetadatasize 4M --thinpool p1 -V 128M -n t1 -kn -Zn vg0"
            + " && echo on-node-1 | dd of=/dev/vg0/t1 conv=fsync status=none");
    ProgramResult refused = lab.result(2, "lvchange -aey vg0/t1");
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.errors()).contains("LV locked by other host: vg0/p1");

    lab.sh(1, "lvchange -an vg0/t1 && lvchange -an vg0/p1");
    lab.sh(2, "lvchange -aey vg0/t1");
    assertThat(lab.sh(2, "head -c 9 /dev/vg0/t1")).isEqualTo("on-node-1");
    assertThat(lab.result(1, "lvchange -aey vg0/t1").exitCode()).isNotZero();

    lab.sh(2, "lvchange -an vg0/t1 && lvremove --yes vg0/p1");
    assertThat(lab.sh(1, "lvs --noheadings vg0; dmsetup ls")).doesNotContain("t1", "p1");
  }
}
