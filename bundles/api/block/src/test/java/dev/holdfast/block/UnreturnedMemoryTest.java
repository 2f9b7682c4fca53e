package dev.holdfast.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which buffers share memory with what is held. */
class UnreturnedMemoryTest {
  static Stream<ByteBuffer> buffers() {
    return Stream.of(ByteBuffer.allocate(100), ByteBuffer.allocateDirect(100));
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void viewsOfHeldMemoryOverlapUntilItIsLetGo(ByteBuffer buffer) {
    ByteBuffer view = buffer.duplicate().position(30).slice();
    UnreturnedMemory.Hold hold = UnreturnedMemory.hold(view, 10, 20);
    assertThat(UnreturnedMemory.overlaps(buffer)).isTrue();
    assertThat(UnreturnedMemory.overlaps(buffer.slice(0, 41))).isTrue();
    assertThat(UnreturnedMemory.overlaps(buffer.slice(0, 40))).isFalse();
    assertThat(UnreturnedMemory.overlaps(buffer.slice(59, 41))).isTrue();
    assertThat(UnreturnedMemory.overlaps(buffer.slice(60, 40))).isFalse();
    assertThat(UnreturnedMemory.overlaps(buffer.slice(45, 1))).isTrue();
    UnreturnedMemory.Hold again = UnreturnedMemory.hold(view, 10, 20);
    hold.close();
    hold.close();
    assertThat(UnreturnedMemory.overlaps(buffer)).isTrue();
    again.close();
    assertThat(UnreturnedMemory.overlaps(buffer)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("buffers")
  void otherBuffersDoNotOverlap(ByteBuffer buffer) {
    try (UnreturnedMemory.Hold hold = UnreturnedMemory.hold(buffer, 0, 100)) {
      assertThat(hold).isNotNull();
      assertThat(UnreturnedMemory.overlaps(ByteBuffer.allocate(100))).isFalse();
      assertThat(UnreturnedMemory.overlaps(ByteBuffer.allocateDirect(100))).isFalse();
    }
  }
}
