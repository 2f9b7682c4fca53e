package dev.holdfast.resource.internal;

import dev.holdfast.resource.KindProvider;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The kinds that every platform has. */
@Component
public final class PlatformKinds implements KindProvider {
  @Override
  public List<ResourceKind<?>> kinds() {
    return List.of(
        Node.KIND,
        Volume.KIND,
        Engine.KIND,
        Replica.KIND,
        VolumeAttachment.KIND,
        Snapshot.KIND,
        Setting.KIND,
        Event.KIND,
        Lease.KIND,
        StoredEngineRecord.KIND,
        DeletedVolume.KIND);
  }
}
