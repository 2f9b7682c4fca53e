package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.function.UnaryOperator;

/** Faults of a blob manager that the suite of crashes must find. */
@SuppressWarnings("ImmutableEnumChecker") // lambdas without state
enum PlantedFault {
  /** A device stays suspended. */
  RESUME_FORGOTTEN(node -> node.lvm.ignore(call -> call.command().contains("resume"))),
  /** A blob or pool stays active without an attachment. */
  DEACTIVATION_FORGOTTEN(node -> node.lvm.ignore(call -> call.command().contains("--activate=n"))),
  /** The lower device of a blob stays. */
  LOWER_DEVICE_FORGOTTEN(
      node ->
          node.lvm.ignore(
              call ->
                  call.command().contains("remove")
                      && call.command().get(call.command().size() - 1).endsWith("-l"))),
  /** The pool stays when its last blob goes. */
  POOL_FORGOTTEN(
      node ->
          node.lvm.ignore(
              call -> call.program().equals("lvremove") && call.toString().contains("/hfp-"))),
  /** The progress of a wipe is not kept. */
  WIPE_NOT_NOTED(node -> node.lvm.ignore(call -> call.toString().contains("--deltag"))),
  /** A cookie is not recorded. */
  COOKIE_FORGOTTEN(
      node -> node.records.change(rewritten(pool -> withAttachments(pool, List.of())))),
  /** The intent to withdraw the last cookie is not recorded before the devices are removed. */
  LEAVING_FORGOTTEN(
      node ->
          node.records.change(
              rewritten(
                  pool ->
                      withAttachments(
                          pool,
                          pool.attachments().stream()
                              .map(a -> new Attachment(a.blob(), a.node(), a.cookie(), false))
                              .toList())))),
  /** A blob is recorded as present before it was created. */
  PRESENT_TOO_EARLY(
      node ->
          node.records.change(
              rewritten(
                  pool -> {
                    PoolRecord next = pool;
                    for (RecordedBlob blob : pool.blobs()) {
                      next = next.with(blob.in(RecordedBlob.Phase.PRESENT));
                    }
                    return next;
                  })));

  private final Plant plant;

  PlantedFault(Plant plant) {
    this.plant = plant;
  }

  private interface Plant {
    void in(SimulatedNode node);
  }

  void plant(SimulatedNode node) {
    plant.in(node);
  }

  private static PoolRecord withAttachments(PoolRecord pool, List<Attachment> attachments) {
    return new PoolRecord(
        pool.id(), pool.node(), pool.options(), pool.blobs(), attachments, pool.place());
  }

  /** The write keeps its identity and has other bytes. */
  private static UnaryOperator<EngineRecord> rewritten(UnaryOperator<PoolRecord> change) {
    return record -> {
      try {
        PoolRecord pool = RecordFormat.read(record.name(), record.value());
        return new EngineRecord(
            record.name(),
            record.version(),
            record.writer(),
            RecordFormat.write(change.apply(pool)));
      } catch (StorageException e) {
        throw new IllegalStateException(e);
      }
    };
  }
}
