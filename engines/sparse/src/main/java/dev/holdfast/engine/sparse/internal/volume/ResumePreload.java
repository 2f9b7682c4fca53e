package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.sparse.internal.disk.RecordJson;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.OperationRecord;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.engine.sparse.internal.replica.Token;
import java.util.List;

/**
 * The records that an engine reads when it continues a volume, in this order. Prepares their JSON
 * readers in advance, because an engine that is updated in place reads them while requests wait.
 */
public final class ResumePreload {
  private static final List<Class<? extends Record>> ALL =
      List.of(
          HandoverState.class,
          VolumeMeta.class,
          Epoch.class,
          Token.class,
          ReplicaIdentity.class,
          OperationRecord.class,
          LayerMeta.class);

  private ResumePreload() {}

  /** Prepares the readers. Call it on a separate thread. */
  public static void prepare() {
    ALL.forEach(RecordJson::prepare);
  }
}
