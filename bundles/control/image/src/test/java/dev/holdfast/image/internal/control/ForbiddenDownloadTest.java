package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A download from a network that the setting does not permit. */
class ForbiddenDownloadTest extends ImageFixture {
  @Override
  String allowedNetworks() {
    return "";
  }

  @Test
  void forbiddenNetworkFailsTheImage() throws Exception {
    create(download());

    assertThat(untilFailed()).contains("is not a public one");
    assertThat(engine.count(IMAGE)).isZero();
  }
}
