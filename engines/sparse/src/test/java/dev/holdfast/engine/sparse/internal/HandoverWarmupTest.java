package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandoverWarmupTest {
  @TempDir private Path parent;

  @Test
  void warmupCompletesOnceAndLeavesNoState() throws Exception {
    SparseEngine engine = new SparseEngine();
    try {
      HandoverWarmup rehearsal = new HandoverWarmup(parent);
      assertThat(rehearsal.run(engine)).isTrue();
      assertThat(rehearsal.run(engine)).as("it was done before").isFalse();
      try (Stream<Path> left = Files.list(parent)) {
        assertThat(left).isEmpty();
      }
    } finally {
      engine.stop();
    }
  }
}
