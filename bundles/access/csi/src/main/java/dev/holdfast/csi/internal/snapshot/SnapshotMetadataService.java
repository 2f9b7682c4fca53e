package dev.holdfast.csi.internal.snapshot;

import dev.holdfast.client.SnapshotDiffs;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.SnapshotMetadataGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import io.grpc.stub.StreamObserver;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Lists the allocated blocks of a snapshot, and those that differ from an earlier one. */
public final class SnapshotMetadataService extends SnapshotMetadataGrpc.SnapshotMetadataImplBase {
  private static final int MOST = 1_000;

  private final SnapshotDiffs diffs;
  private final CsiSnapshots snapshots;
  private final InFlightCalls claims;

  public SnapshotMetadataService(ResourceStore store, InFlightCalls claims) {
    Topology topology = new Topology(store);
    this.diffs = new SnapshotDiffs(store, Clock.systemUTC());
    this.snapshots = new CsiSnapshots(store, new CsiVolumes(store, topology), topology, claims);
    this.claims = claims;
  }

  /** A parsed request. */
  private record Question(Optional<Snapshot> base, Snapshot target, long from, int most) {
    long capacity() {
      return target.status().restoreSize().bytes();
    }
  }

  @Override
  public void getMetadataAllocated(
      Csi.GetMetadataAllocatedRequest request,
      StreamObserver<Csi.GetMetadataAllocatedResponse> caller) {
    CallReplies.each(
        caller,
        next -> {
          Question question =
              question(
                  Optional.empty(),
                  snapshots.require("snapshot_id", request.getSnapshotId()),
                  request.getStartingOffset(),
                  request.getMaxResults());
          pages(
              question,
              page ->
                  next.accept(
                      Csi.GetMetadataAllocatedResponse.newBuilder()
                          .setBlockMetadataType(Csi.BlockMetadataType.VARIABLE_LENGTH)
                          .setVolumeCapacityBytes(question.capacity())
                          .addAllBlockMetadata(page)
                          .build()));
        });
  }

  @Override
  public void getMetadataDelta(
      Csi.GetMetadataDeltaRequest request, StreamObserver<Csi.GetMetadataDeltaResponse> caller) {
    CallReplies.each(
        caller,
        next -> {
          Snapshot base = snapshots.require("base_snapshot_id", request.getBaseSnapshotId());
          Snapshot target = snapshots.require("target_snapshot_id", request.getTargetSnapshotId());
          if (!base.spec().volume().equals(target.spec().volume())) {
            throw CsiStatus.invalid(
                "base_snapshot_id",
                "is one of volume "
                    + base.spec().volume()
                    + ", the other of volume "
                    + target.spec().volume());
          }
          Question question =
              question(
                  Optional.of(base), target, request.getStartingOffset(), request.getMaxResults());
          pages(
              question,
              page ->
                  next.accept(
                      Csi.GetMetadataDeltaResponse.newBuilder()
                          .setBlockMetadataType(Csi.BlockMetadataType.VARIABLE_LENGTH)
                          .setVolumeCapacityBytes(question.capacity())
                          .addAllBlockMetadata(page)
                          .build()));
        });
  }

  private static Question question(Optional<Snapshot> base, Snapshot target, long from, int most)
      throws StatusException {
    Question question = new Question(base, target, from, most == 0 ? MOST : most);
    if (most < 0) {
      throw CsiStatus.invalid("max_results", "must not be negative");
    }
    if (from < 0 || from > question.capacity()) {
      throw CsiStatus.outOfRange(
          "starting_offset: is " + from + ", the snapshot has " + question.capacity() + " bytes");
    }
    return question;
  }

  /** Passes on the changed ranges page by page, at least one page. */
  private void pages(Question question, Consumer<List<Csi.BlockMetadata>> next)
      throws StorageException, StatusException {
    String target = question.target().name();
    List<ChangedRange> ranges =
        claims.on(
            "metadata of snapshot " + target,
            () ->
                diffs.diff(
                    question.target().spec().volume(),
                    question.base().map(Snapshot::name),
                    target,
                    CallReplies.waiting()));
    List<Csi.BlockMetadata> page = new ArrayList<>();
    boolean told = false;
    for (ChangedRange range : ranges) {
      long end = range.offset() + range.length();
      long offset = Math.max(range.offset(), question.from());
      if (offset < end) {
        page.add(
            Csi.BlockMetadata.newBuilder()
                .setByteOffset(offset)
                .setSizeBytes(end - offset)
                .build());
      }
      if (page.size() == question.most()) {
        next.accept(page);
        page = new ArrayList<>();
        told = true;
      }
    }
    if (!page.isEmpty() || !told) {
      next.accept(page);
    }
  }
}
