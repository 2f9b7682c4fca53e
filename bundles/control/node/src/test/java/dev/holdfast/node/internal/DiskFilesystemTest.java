package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskFilesystemTest {
  @ParameterizedTest
  @CsvSource({
    "ext4 UUID=1, ext4 UUID=1, false",
    "ext4 /dev/vda, ext4 /dev/vda, false",
    "ext4 UUID=1, ext4 UUID=2, true",
    "ext4 /dev/vdb, ext4 /dev/vda, true",
    "tmpfs tmpfs, tmpfs tmpfs, true",
    "fuse /dev/fuse, fuse /dev/fuse, true",
    "'', '', true",
  })
  void filesystemSeenFurtherUpIsTheSameWhereItsIdentitySaysSo(
      String recorded, String present, boolean unmounted) {
    DiskFilesystem inPod = new DiskFilesystem(recorded, "/var/lib/holdfast");
    assertThat(inPod.isUnmounted(new DiskFilesystem(present, "/"))).isEqualTo(unmounted);
  }

  @Test
  void unreadableRecordedMountPointIsIgnored() {
    DiskFilesystem recorded = new DiskFilesystem("ext4 UUID=1", "/mnt/\0");
    assertThat(recorded.isUnmounted(new DiskFilesystem("ext4 UUID=2", "/"))).isFalse();
  }
}
