package dev.holdfast.attacher.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The kit finds an attacher that acts on changes instead of on what is. */
class AttacherKitFindsTest {

  /** Not nested and not named as a test, so that it is run by the test below only. */
  private static final class Kit extends AttacherKit {
    @Override
    protected Reconciler<?> attacher() {
      return new ToyWorld.EdgeTriggered();
    }

    @Override
    protected void prepare(ResourceStore store) throws StorageException {
      ToyWorld.prepare(store);
    }

    @Override
    protected void change(ResourceStore store, Random random) throws StorageException {
      ToyWorld.change(store, random);
    }

    @Override
    protected Set<String> wanted(ResourceStore store) throws StorageException {
      return ToyWorld.wanted(store);
    }
  }

  @Test
  void anEdgeTriggeredAttacherIsFoundByHistories() {
    assertThatThrownBy(() -> new Kit().aTicketExistsIfAndOnlyIfItsSubjectNeedsIt())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("not reached");
  }

  @Test
  void anEdgeTriggeredAttacherIsFoundByWhatItMissed() {
    assertThatThrownBy(() -> new Kit().whatHappenedWhileItWasAwayIsPutRight())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("not reached");
  }
}
