package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.testkit.EngineLab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;

/** Engines over directories that can be broken and killed. */
final class SparseLab implements EngineLab.Replicated {
  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final Map<EngineProvider, FragileDirectories> running = new HashMap<>();

  @Override
  public EngineProvider start() {
    FragileDirectories directories = new FragileDirectories(broken);
    SparseEngine engine =
        new SparseEngine(
            directories::open,
            "the same boot",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            SparseEngine::noWay);
    running.put(engine, directories);
    return engine;
  }

  @Override
  public void stop(EngineProvider engine) {
    broken.clear();
    ((SparseEngine) engine).stop();
  }

  @Override
  public void kill(EngineProvider engine) throws IOException {
    running.get(engine).kill();
  }

  @Override
  public void breakDisk(ReplicaLocation replica) {
    broken.add(replica.directory());
  }

  @Override
  public void repair(ReplicaLocation replica) {
    broken.remove(replica.directory());
  }

  @Override
  public void rot(ReplicaLocation replica, String snapshot, long offset) throws IOException {
    RottenLayer.flip(replica, snapshot, offset);
  }

  @Override
  public byte[] content(ReplicaLocation replica) throws IOException {
    return Files.readAllBytes(replica.directory().resolve(LonghornLayout.FIRST_HEAD));
  }
}
