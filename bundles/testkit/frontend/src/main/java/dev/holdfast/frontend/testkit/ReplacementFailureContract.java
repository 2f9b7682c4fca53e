package dev.holdfast.frontend.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.SessionState;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A failed replacement is rolled back without loss; a successful one leaves no remains. For
 * frontends that implement {@link ReplaceableFrontend}.
 */
public abstract class ReplacementFailureContract extends FrontendContract {
  private static final int BLOCK = 4096;
  private static final String LATER_FIELD = "of-a-later-version";

  private Replacements replacements;

  /**
   * Creates the contract.
   *
   * @param fixture the frontend's, not null
   */
  protected ReplacementFailureContract(FrontendFixture fixture) {
    super(fixture);
  }

  @BeforeEach
  final void begin() throws Exception {
    assumeTrue(
        frontend() instanceof ReplaceableFrontend,
        "the frontend is not replaceable: its connections are closed");
    replacements = new Replacements(portal(), frontend());
  }

  @Test
  final void sessionsReturnFromAVersionThatThrows() throws Exception {
    goBackFrom(
        new FrontendVersion(another()) {
          @Override
          public FrontendSession resume(FrontendConnection connection, SessionState state) {
            throw new LinkageError("the test's version does not fit together");
          }
        });
  }

  @Test
  final void sessionsReturnFromAVersionThatHangs() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    goBackFrom(
        new FrontendVersion(another()) {
          @Override
          public FrontendSession resume(FrontendConnection connection, SessionState state)
              throws StorageException {
            try {
              never.await();
            } catch (InterruptedException e) {
              // An interrupt ends the wait. The session then resumes, although the portal no longer
              // waits for it.
              Thread.currentThread().interrupt();
            }
            return super.resume(connection, state);
          }
        });
    never.countDown();
  }

  @Test
  final void sessionsReturnFromAVersionThatResumesNone() throws Exception {
    goBackFrom(
        new FrontendVersion(another()) {
          @Override
          protected FrontendSession session(FrontendSession session) {
            return null;
          }
        });
  }

  @Test
  final void fieldsOfALaterVersionArePassedOver() throws Exception {
    PublishedExport export = publish("later", new MemoryBlockDevice(SIZE));
    replacements.sideBySide(FrontendVersion.leaving(another(), state -> later(state, false)));
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, random(BLOCK, 1), false));
      replacements.sideBySide(another());
      assertContent(get(client.read(0, BLOCK)), random(BLOCK, 1));
      assertThat(replacements.part().failures()).as("failed resumptions").isEmpty();
    }
  }

  @Test
  final void stateThatNeedsALaterVersionIsRefusedAndLosesNothing() throws Exception {
    PublishedExport export = publish("later", new MemoryBlockDevice(SIZE));
    // This version reads its own states, but other versions do not.
    FrontendProvider later =
        new FrontendVersion(FrontendVersion.leaving(another(), state -> later(state, true))) {
          @Override
          public FrontendSession resume(FrontendConnection connection, SessionState state)
              throws StorageException {
            return super.resume(connection, later(state, false));
          }
        };
    replacements.sideBySide(later);
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, random(BLOCK, 1), false));
      replacements.beside(another());
      replacements.await(
          "a reported failure and no parked session",
          part -> !part.failures().isEmpty() && part.parked() == 0);
      assertThat(replacements.part().failures().get(0).reason())
          .as("reason of the refused state")
          .contains("version");
      assertThat(replacements.servedByNewest()).as("sessions of the version that failed").isZero();
      assertContent(get(client.read(0, BLOCK)), random(BLOCK, 1));
    }
  }

  @Test
  final void sessionsWaitForAnotherVersionWhenOneFailsInPlace() throws Exception {
    PublishedExport export = publish("waiting", new MemoryBlockDevice(SIZE));
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      get(client.write(0, random(BLOCK, 1), false));
      replacements.leave();
      var asked = client.read(0, BLOCK);
      replacements.beside(
          new FrontendVersion(another()) {
            @Override
            public FrontendSession resume(FrontendConnection connection, SessionState state) {
              throw new IllegalStateException("the test's version takes no session");
            }
          });
      replacements.await("a reported failure", part -> !part.failures().isEmpty());
      assertThat(replacements.part().parked())
          .as("parked sessions")
          .isEqualTo(fixture().connections());
      replacements.beside(another());
      assertContent(get(asked), random(BLOCK, 1));
    }
  }

  @Test
  final void oldVersionIsNotReachableFromMemory() throws Exception {
    PublishedExport export = publish("gone", new MemoryBlockDevice(SIZE));
    try (FrontendClient client = fixture().connect(export.endpoint())) {
      WeakReference<ClassLoader> old = replaceByOwnClasses();
      get(client.write(0, random(BLOCK, 1), false));
      replacements.sideBySide(another());
      // The next input removes the state of the last session on the connection's thread.
      assertContent(get(client.read(0, BLOCK)), random(BLOCK, 1));
      awaitThat(
          () -> {
            System.gc();
            return old.get() == null;
          },
          () -> "expected the classes of the old version to be collected, found them in memory");
    }
  }

  private WeakReference<ClassLoader> replaceByOwnClasses() throws ReflectiveOperationException {
    FrontendProvider copy = OwnLoader.copy(frontend().getClass());
    replacements.sideBySide(copy);
    return new WeakReference<>(copy.getClass().getClassLoader());
  }

  private void goBackFrom(FrontendVersion broken) throws Exception {
    PublishedExport export = publish("back", new MemoryBlockDevice(SIZE));
    try (FrontendClient first = fixture().connect(export.endpoint());
        FrontendClient second = fixture().connect(export.endpoint())) {
      get(first.write(0, random(BLOCK, 1), false));
      var pending = second.write(BLOCK, random(BLOCK, 2), true);
      replacements.beside(broken);
      replacements.await(
          "a reported failure and no parked session",
          part -> !part.failures().isEmpty() && part.parked() == 0);
      get(pending);
      assertThat(replacements.servedByNewest()).as("sessions of the version that failed").isZero();
      assertContent(get(second.read(0, BLOCK)), random(BLOCK, 1));
      assertContent(get(first.read(BLOCK, BLOCK)), random(BLOCK, 2));
      try (FrontendClient third = fixture().connect(export.endpoint())) {
        assertContent(get(third.read(0, BLOCK)), random(BLOCK, 1));
      }
      assertThat(replacements.servedByNewest()).as("sessions of the version that failed").isZero();
      replacements.backFrom(broken);
      assertContent(get(first.read(0, BLOCK)), random(BLOCK, 1));
    }
  }

  private ReplaceableFrontend another() {
    return (ReplaceableFrontend) fixture().frontend();
  }

  /** Returns the state in the form of a later version. */
  private static SessionState later(SessionState state, boolean needsLater) {
    Map<String, String> fields = new HashMap<>(state.fields());
    fields.put(LATER_FIELD, "x");
    int version = state.version() + 1;
    return new SessionState(state.format(), version, needsLater ? version : 1, fields);
  }
}
