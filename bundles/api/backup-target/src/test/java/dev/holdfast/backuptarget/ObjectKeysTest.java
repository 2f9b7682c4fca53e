package dev.holdfast.backuptarget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectKeysTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "a/b", "..a/b.", "backups/backup_x.cfg", "ä/ö"})
  void validKeysAreAccepted(String key) {
    assertThat(ObjectKeys.isValid(key)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/../b",
        "a/./b",
        "a\nb",
        "a/\u0000",
        ".holdfast-put-1"
      })
  void keysThatCouldLeaveTheTargetAreInvalid(String key) {
    assertThat(ObjectKeys.isValid(key)).isFalse();
    assertThatThrownBy(() -> ObjectKeys.check(key))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }

  @Test
  void lengthsAreCountedInBytes() {
    assertThat(ObjectKeys.isValid("ä".repeat(127))).isTrue();
    assertThat(ObjectKeys.isValid("ä".repeat(128))).isFalse();
    assertThat(ObjectKeys.isValid("12345678/".repeat(113) + "1234567")).isTrue();
    assertThat(ObjectKeys.isValid("12345678/".repeat(113) + "12345678")).isFalse();
  }
}
