package dev.holdfast.engine.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/**
 * Contract of every {@link EngineProvider}, by topic. A test class extends it and implements only
 * {@link #lab}. Engines that declare {@code REPLICATED} extend {@link ReplicatedEngineKit}.
 */
public abstract class EngineKit {

  /**
   * Creates the lab of one test. Engines of one lab share their storage; labs share nothing.
   *
   * @return a new lab, never null
   */
  protected abstract EngineLab lab();

  /** Creation, inspection and removal of replicas. */
  @Nested
  public class Provisioning extends ProvisioningTests {
    Provisioning() {
      super(EngineKit.this.lab());
    }
  }

  /** Opening, closing, and successive engines. */
  @Nested
  public class Opening extends OpeningTests {
    Opening() {
      super(EngineKit.this.lab());
    }
  }

  /** The engine has the declared abilities and no others. */
  @Nested
  public class Capabilities extends CapabilityTests {
    Capabilities() {
      super(EngineKit.this.lab());
    }
  }

  /** Snapshots, for engines that declare {@code SNAPSHOTS}. */
  @Nested
  public class Snapshots extends SnapshotTests {
    Snapshots() {
      super(EngineKit.this.lab());
    }
  }

  /** Trims that remove snapshots, for engines that declare {@code TRIM_RECLAIM}. */
  @Nested
  public class Reclaim extends ReclaimTests {
    Reclaim() {
      super(EngineKit.this.lab());
    }
  }

  /** Growth, for engines that declare {@code EXPANSION}. */
  @Nested
  public class Expansion extends ExpansionTests {
    Expansion() {
      super(EngineKit.this.lab());
    }
  }

  /** Replacement of an engine during use, for engines that declare {@code HANDOVER}. */
  @Nested
  public class Replacement extends ReplacementTests {
    Replacement() {
      super(EngineKit.this.lab());
    }
  }

  /** Volumes with shared content, for engines that declare {@code LINKED_CLONE}. */
  @Nested
  public class Linking extends LinkedCloneTests {
    Linking() {
      super(EngineKit.this.lab());
    }
  }

  /** Bases, for engines that declare {@code BASES}. */
  @Nested
  public class Bases extends BaseTests {
    Bases() {
      super(EngineKit.this.lab());
    }
  }

  /** Volumes above a base, for engines that declare {@code BASES}. */
  @Nested
  public class BasedVolumes extends BasedVolumeTests {
    BasedVolumes() {
      super(EngineKit.this.lab());
    }
  }

  /** Exports that bypass this process, for engines that declare {@code NATIVE_EXPORT}. */
  @Nested
  public class Exports extends ExportTests {
    Exports() {
      super(EngineKit.this.lab());
    }
  }

  /** Holds, limits and path states of exports, for engines that declare {@code NATIVE_EXPORT}. */
  @Nested
  public class ExportControl extends ExportControlTests {
    ExportControl() {
      super(EngineKit.this.lab());
    }
  }

  /** Exports that outlive the engine, for engines that declare {@code NATIVE_EXPORT}. */
  @Nested
  public class ExportLife extends ExportLifeTests {
    ExportLife() {
      super(EngineKit.this.lab());
    }
  }

  /** The open volume fulfils the contract of a device. */
  @Nested
  public class Device extends BlockDeviceKit {
    @TempDir private Path disk;
    private final EngineLab lab = EngineKit.this.lab();
    private final List<EngineProvider> started = new ArrayList<>();

    @Override
    protected BlockDevice create(long size) throws Exception {
      EngineProvider engine = lab.start();
      started.add(engine);
      ReplicaLocation replica =
          new ReplicaLocation(
              "vol", "vol-r-1", EngineTests.prepared(engine, lab.disk(disk, 1)), "vol-1", false);
      engine.provisionReplica(replica, size);
      return engine
          .open(
              new OpenRequest(
                  "vol",
                  size,
                  "node-1",
                  List.of(replica),
                  new InMemoryRegister(),
                  new RecordingListener()))
          .device();
    }

    @AfterEach
    void stopEngines() throws Exception {
      for (EngineProvider engine : started) {
        lab.stop(engine);
      }
    }
  }
}
