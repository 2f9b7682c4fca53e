package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountRestorationTest {
  private final List<String> tried = new ArrayList<>();
  private final List<StorageException> failures = new ArrayList<>();

  private static MountRecord mounted(String volume) {
    return new MountRecord(volume, "/mnt/" + volume, "", "ext4", "api", true, "", true, "", "");
  }

  private static StorageException failure(ErrorCode code) {
    return new StorageException(code, "told to fail");
  }

  private List<MountRecord> restore(Duration timeout, MountRestoration.Mounting mounting) {
    return new MountRestoration(Waiting.upTo(timeout))
        .mountAll(
            List.of(mounted("a"), mounted("b"), mounted("c")),
            one -> {
              tried.add(one.volume());
              return mounting.mount(one);
            },
            failures::add);
  }

  @Test
  void unservedVolumeIsRetriedAfterTheOthers() {
    List<MountRecord> mounted =
        restore(
            Duration.ofMinutes(1),
            one -> {
              if (one.volume().equals("a") && tried.size() < 6) {
                throw failure(tried.size() == 1 ? ErrorCode.UNREACHABLE : ErrorCode.IO);
              }
              return one;
            });
    assertThat(mounted).extracting(MountRecord::volume).containsExactly("a", "b", "c");
    assertThat(tried).containsExactly("a", "b", "c", "a", "a", "a");
    assertThat(failures).isEmpty();
  }

  @Test
  void permanentFailureIsReportedAtOnce() {
    List<MountRecord> mounted =
        restore(
            Duration.ofMinutes(1),
            one -> {
              if (one.volume().equals("b")) {
                throw failure(ErrorCode.INVALID);
              }
              return one;
            });
    assertThat(mounted).extracting(MountRecord::volume).containsExactly("a", "c");
    assertThat(tried).hasSize(3);
    assertThat(failures).hasSize(1);
  }

  @Test
  void failureIsReportedAtOnceWithoutWaiting() {
    assertThat(
            restore(
                Duration.ZERO,
                one -> {
                  throw failure(ErrorCode.UNREACHABLE);
                }))
        .isEmpty();
    assertThat(tried).hasSize(3);
    assertThat(failures).hasSize(3);
  }
}
