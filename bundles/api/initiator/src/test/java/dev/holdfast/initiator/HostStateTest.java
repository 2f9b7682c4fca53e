package dev.holdfast.initiator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostStateTest {
  @TempDir Path folder;

  private HostState state() {
    return new HostState(folder.resolve("state"));
  }

  @Test
  void whatWasWrittenIsReadByAnother() throws Exception {
    state().write("demo", "{\"a\":1}");
    state().write("demo", "{\"a\":2}");
    assertThat(state().read("demo")).contains("{\"a\":2}");
    assertThat(state().volumes()).containsExactly("demo");
  }

  @Test
  void nothingIsKnownOfOthers() throws Exception {
    assertThat(state().read("demo")).isEmpty();
    assertThat(state().volumes()).isEmpty();
  }

  @Test
  void deletingSucceedsWhenAlreadyGone() throws Exception {
    state().write("demo", "{}");
    state().delete("demo");
    state().delete("demo");
    assertThat(state().volumes()).isEmpty();
  }

  @Test
  void whatACrashLeftHalfWrittenIsIgnored() throws Exception {
    state().write("demo", "{}");
    Files.writeString(folder.resolve("state/.demo.new"), "{\"ha");
    Files.writeString(folder.resolve("state/.other.new"), "{\"ha");
    assertThat(state().volumes()).containsExactly("demo");
    assertThat(state().read("demo")).contains("{}");
  }

  @Test
  void aLockIsHeldByOneAtATime() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    CompletableFuture<?>[] all =
        IntStream.range(0, 8)
            .mapToObj(thread -> CompletableFuture.runAsync(() -> enter(state(), inside)))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(all).join();
    assertThat(state().read("counter")).contains("800");
  }

  /** Reads, adds one and writes, a hundred times: an overlap would lose some. */
  private static void enter(HostState state, AtomicInteger inside) {
    for (int i = 0; i < 100; i++) {
      try {
        state.locked(
            "counter",
            () -> {
              assertThat(inside.incrementAndGet()).isEqualTo(1);
              int next = Integer.parseInt(state.read("counter").orElse("0")) + 1;
              state.write("counter", Integer.toString(next));
              return inside.decrementAndGet();
            });
      } catch (StorageException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aLockIsGivenBackWhenTheActionFails() throws Exception {
    HostState state = state();
    StorageException failure = new StorageException(ErrorCode.IO, "no");
    assertThatThrownBy(
            () ->
                state.locked(
                    "demo",
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(state.<String>locked("demo", () -> "again")).isEqualTo("again");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../demo", "a/b", ".demo", "", "Demo"})
  void aNameMustNotLeadOutOfTheDirectory(String name) {
    assertThatThrownBy(() -> state().write(name, "{}"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }
}
