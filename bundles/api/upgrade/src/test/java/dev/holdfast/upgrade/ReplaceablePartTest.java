package dev.holdfast.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplaceablePartTest {
  private static final ServingBundle NBD =
      new ServingBundle(71, "dev.holdfast.frontend.nbd", "0.2.0", 3);

  @Test
  void laterChangesOfTheListsAreNotSeen() {
    List<ServingBundle> bundles = new ArrayList<>(List.of(NBD));
    ReplaceablePart part = new ReplaceablePart("nbd", bundles, 0, List.of(), List.of());
    bundles.clear();
    assertThat(part.bundles()).containsExactly(NBD);
  }

  @Test
  void negativeCountsAreRefused() {
    assertThatThrownBy(() -> new ServingBundle(71, "dev.holdfast.frontend.nbd", "0.2.0", -1))
        .hasMessageContaining("dev.holdfast.frontend.nbd");
    assertThatThrownBy(() -> new ReplaceablePart("nbd", List.of(NBD), -1, List.of(), List.of()))
        .hasMessageContaining("nbd");
  }
}
