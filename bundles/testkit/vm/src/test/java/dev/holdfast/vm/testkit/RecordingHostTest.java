package dev.holdfast.vm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.vm.testkit.RecordingHost.Moment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingHostTest {
  @TempDir private Path folder;
  private final RecordingHost host = new RecordingHost(new LocalHost());

  private void touch(String name) throws StorageException {
    String unused =
        host.check(
            ProgramCall.of(
                Duration.ofMinutes(1), List.of("/bin/touch", folder.resolve(name).toString())));
  }

  private boolean isThere(String name) {
    return Files.exists(folder.resolve(name));
  }

  @Test
  void failureBeforeAndAfterACommandIsThrownOnce() throws Exception {
    StorageException lost = new StorageException(ErrorCode.UNREACHABLE, "planted");
    host.fail(command -> command.get(1).endsWith("one"), Moment.BEFORE, lost);
    host.fail(command -> command.get(1).endsWith("two"), Moment.AFTER, lost);

    assertThatThrownBy(() -> touch("one")).isSameAs(lost);
    assertThat(isThere("one")).isFalse();
    assertThatThrownBy(() -> touch("two")).isSameAs(lost);
    assertThat(isThere("two")).isTrue();
    touch("one");
    assertThat(isThere("one")).isTrue();
    assertThat(host.commands())
        .extracting(command -> command.get(1).replaceAll(".*/", ""))
        .containsExactly("one", "two", "one");
  }

  @Test
  void crashIsInjectedAtEachPointOfAnOperation() throws Exception {
    List<String> left = new ArrayList<>();
    for (int number = 0; number < 2; number++) {
      for (Moment moment : Moment.values()) {
        host.clear();
        host.crash(number, moment);
        assertThatThrownBy(
                () -> {
                  touch("one");
                  touch("two");
                })
            .isInstanceOf(HostCrash.class);
        assertThat(host.crashed()).isTrue();
        assertThatThrownBy(() -> touch("three")).isInstanceOf(HostCrash.class);
        assertThatThrownBy(host::files).isInstanceOf(HostCrash.class);
        left.add((isThere("one") ? "1" : "-") + (isThere("two") ? "2" : "-"));
        host.restart();
        Files.deleteIfExists(folder.resolve("one"));
        Files.deleteIfExists(folder.resolve("two"));
      }
    }
    assertThat(left).containsExactly("--", "1-", "1-", "12");
    assertThat(isThere("three")).isFalse();
  }
}
