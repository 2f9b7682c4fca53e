package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accepted and refused options of the mounts of shares. */
class NfsOptionsTest {
  @Test
  void mountsWithoutOptionsAreHard() {
    assertThat(NfsOptions.parse(" "))
        .containsExactly("vers=4.1", "noresvport", "hard", "timeo=600", "retrans=5");
  }

  @Test
  void givenOptionsReplaceAll() {
    assertThat(NfsOptions.parse("vers=4.2, softerr")).isEqualTo(List.of("vers=4.2", "softerr"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vers=3|vers must be 4, 4.0, 4.1 or 4.2",
        "nfsvers=3|nfsvers must be",
        "hard,port=1|port cannot be set",
        "bg|bg cannot be set",
        "proto=udp|only TCP is supported",
        "udp|only TCP is supported",
        "hard,,intr|must be options of nfs(5)",
        "hard;reboot|must be options of nfs(5)",
        "-t ext4|must be options of nfs(5)"
      })
  void optionsThatAMountCannotHaveAreRefused(String options, String reason) {
    assertThatThrownBy(() -> NfsOptions.parse(options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
