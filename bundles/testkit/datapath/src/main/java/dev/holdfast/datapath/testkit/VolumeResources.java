package dev.holdfast.datapath.testkit;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.nio.file.Path;
import java.util.Map;

/** Resources of volumes in the form that the volume controller creates. */
public final class VolumeResources {
  public static final String NODE = "node-1";
  public static final String VOLUME = "vol";
  public static final String ENGINE = "vol-e-0";
  public static final Quantity SIZE = Quantity.parse("1Mi");

  private VolumeResources() {}

  public static Node node(String name, Path disk) {
    return Node.of(
        name,
        NodeSpec.EMPTY.withDisks(
            Map.of("disk-1", DiskSpec.EMPTY.withPath(disk.toString()).withCreate(true))));
  }

  public static Replica replica(String name, String node, Path disk) {
    ReplicaSpec spec =
        ReplicaSpec.EMPTY
            .withVolume(VOLUME)
            .withDataEngine("fake")
            .withSize(SIZE)
            .withNodeID(node)
            .withDiskID("disk-1")
            .withDiskPath(disk.toString())
            .withDataDirectoryName(name)
            .withDesireState(DesireState.RUNNING);
    Replica replica = Replica.of(name, spec);
    return replica.withMetadata(labelled(replica.metadata()));
  }

  public static Engine engine(String node, DesireState desire) {
    EngineSpec spec =
        EngineSpec.EMPTY
            .withVolume(VOLUME)
            .withDataEngine("fake")
            .withSize(SIZE)
            .withNodeID(node)
            .withDesireState(desire);
    Engine engine = Engine.of(ENGINE, spec);
    return engine.withMetadata(labelled(engine.metadata()));
  }

  private static ObjectMeta labelled(ObjectMeta metadata) {
    return metadata.withLabels(Map.of("holdfast.dev/volume", VOLUME));
  }
}
