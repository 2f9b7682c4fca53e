package dev.holdfast.attacher.salvage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.testkit.ReaperKit;
import dev.holdfast.controller.Reconciler;
import org.junit.jupiter.api.Test;

/** Tickets of the type salvage-controller. */
class SalvageAttacherTest extends ReaperKit {
  @Override
  protected Reconciler<?> attacher() {
    return new SalvageAttacher();
  }

  @Test
  void itsTypeIsThatOfTheSeed() {
    SalvageAttacher type = new SalvageAttacher();
    assertThat(type.name()).isEqualTo("salvage-controller");
    assertThat(type.priority()).isEqualTo(900);
    assertThat(type.role()).isEqualTo(AttacherProvider.Role.UNINTERRUPTIBLE);
  }
}
