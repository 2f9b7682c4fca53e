package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.HostConnection;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

/** The engine for volumes whose replicas are all on another node. */
class RemoteEngineTest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new Nodes();
  }

  /** A node that opens volumes, and a node that stores them and never stops. */
  private static final class Nodes implements EngineLab {
    private static final String NEAR = "node-1";
    private static final String FAR = "node-2";

    private final SpdkCluster cluster;
    private boolean started = true;

    Nodes() {
      try {
        cluster = new SpdkCluster(Path.of("/"), SpdkLab::new, 2);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public EngineProvider start() throws Exception {
      if (!started) {
        cluster.start(NEAR);
      }
      started = false;
      return new RoutedEngine(cluster.engine(NEAR), cluster.engine(FAR));
    }

    @Override
    public void stop(EngineProvider engine) throws Exception {
      SpdkEngine near = ((RoutedEngine) engine).volumes();
      if (cluster.engine(NEAR) == near) {
        cluster.stop();
      } else {
        near.deactivate();
      }
    }

    @Override
    public void kill(EngineProvider engine) throws Exception {
      ((RoutedEngine) engine).volumes().abandon();
    }

    @Override
    public DiskLocation disk(Path folder, int number) throws Exception {
      return cluster.lab(FAR).disk(folder, number);
    }

    @Override
    public ExportRequest request(String protocol, String export) {
      return cluster.lab(NEAR).request(protocol, export);
    }

    @Override
    public HostConnection connect(URI endpoint) throws IOException {
      return cluster.lab(NEAR).connect(endpoint);
    }
  }
}
