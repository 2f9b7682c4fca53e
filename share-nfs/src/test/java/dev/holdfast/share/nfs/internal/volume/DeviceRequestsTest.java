package dev.holdfast.share.nfs.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeviceRequestsTest {
  @Test
  void countersOfAllKernelsAreRead() {
    assertThat(DeviceRequests.parse("  5 0 40 1  7 0 56 2  3 4 5  11 0 0 0  13 6\n"))
        .isEqualTo(new DeviceRequests(5 + 7 + 11 + 13, 3));
    assertThat(DeviceRequests.parse("5 0 40 1 7 0 56 2 3 4 5"))
        .isEqualTo(new DeviceRequests(5 + 7, 3));
  }

  @Test
  void deviceHangsWhenRequestsWaitAndNoneEnds() {
    assertThat(hang(new DeviceRequests(9, 1), new DeviceRequests(9, 2))).isTrue();
    assertThat(hang(new DeviceRequests(9, 1), new DeviceRequests(10, 2))).isFalse();
    assertThat(hang(new DeviceRequests(9, 1), new DeviceRequests(9, 0))).isFalse();
    assertThat(DeviceRequests.hang(Optional.of(new DeviceRequests(9, 1)), Optional.empty()))
        .isFalse();
  }

  private static boolean hang(DeviceRequests before, DeviceRequests after) {
    return DeviceRequests.hang(Optional.of(before), Optional.of(after));
  }
}
