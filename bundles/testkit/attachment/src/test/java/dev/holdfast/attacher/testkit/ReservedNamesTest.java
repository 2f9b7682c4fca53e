package dev.holdfast.attacher.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ReservedNamesTest {
  @Test
  void thirdPartyAttacherMayNotUseTheNameApi() {
    assertThatThrownBy(() -> ReservedNames.check("api", String.class))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the name is reserved");
    assertThatCode(() -> ReservedNames.check("keep-attached", String.class))
        .doesNotThrowAnyException();
    assertThatCode(() -> ReservedNames.check("api", ReservedNamesTest.class))
        .doesNotThrowAnyException();
  }
}
