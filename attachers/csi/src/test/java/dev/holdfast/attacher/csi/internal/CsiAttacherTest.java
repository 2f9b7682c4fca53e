package dev.holdfast.attacher.csi.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherType;
import dev.holdfast.attacher.testkit.ReaperKit;
import dev.holdfast.controller.Reconciler;
import org.junit.jupiter.api.Test;

/** Tickets of the type csi-attacher. */
class CsiAttacherTest extends ReaperKit {
  @Override
  protected Reconciler<?> attacher() {
    return new CsiAttacher();
  }

  @Test
  void itsTypeIsThatOfTheSeed() {
    CsiAttacher type = new CsiAttacher();
    assertThat(type.name()).isEqualTo("csi-attacher");
    assertThat(type.priority()).isEqualTo(900);
    assertThat(type.role()).isEqualTo(AttacherType.Role.WORKLOAD);
  }
}
