package dev.holdfast.backup.internal.standby;

import dev.holdfast.backup.internal.BackgroundWork;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Result;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Activates standby volumes. The decision about a partly applied backup is recorded before it has
 * an effect. A decision to revert is final.
 */
final class StandbyActivations {
  /** Time within which a target must answer, unless a user decided. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(2);

  private final BackgroundWork<Boolean> answers;

  StandbyActivations(BackgroundWork<Boolean> answers) {
    this.answers = answers;
  }

  /** Decides whether a partly applied backup is completed or reverted. */
  Result decide(Volume volume, BackgroundWork.Work<Boolean> answer, ReconcileContext context)
      throws StorageException {
    StandbyStatus standby = volume.status().standby();
    StandbyRecords records = new StandbyRecords(volume, context);
    if (standby.state() == StandbyState.REVERTING) {
      return Result.DONE;
    }
    return switch (volume.spec().standbyActivation()) {
      case REVERT -> revert("", volume, records, context);
      case COMPLETE -> decided(StandbyState.COMPLETING, "", standby, records);
      case COMPLETE_OR_REVERT ->
          standby.state() == StandbyState.COMPLETING
              ? Result.DONE
              : byAnswer(volume, answer, records, context);
    };
  }

  private Result byAnswer(
      Volume volume,
      BackgroundWork.Work<Boolean> answer,
      StandbyRecords records,
      ReconcileContext context)
      throws StorageException {
    StandbyStatus standby = volume.status().standby();
    Instant now = context.clock().instant();
    if (standby.activationAskedAt().isEmpty()) {
      var unused = records.write(standby.withActivationAskedAt(Optional.of(now)));
      return Result.after(SOON);
    }
    boolean late = now.isAfter(standby.activationAskedAt().get().plus(PATIENCE));
    String work = volume.metadata().uid();
    if (!answers.isBegun(work)) {
      answers.begin(work, answer);
    }
    try {
      if (answers.take(work).isPresent()) {
        return decided(StandbyState.COMPLETING, "", standby, records);
      }
      return late
          ? revert("the target does not answer", volume, records, context)
          : Result.after(SOON);
    } catch (StorageException e) {
      if (answers.isBegun(work)) {
        throw e;
      }
      return late
          ? revert(String.valueOf(e.getMessage()), volume, records, context)
          : Result.after(RETRY);
    }
  }

  /**
   * Records the decision to revert. It requires the snapshot, because no further part of the backup
   * is applied afterwards.
   */
  private static Result revert(
      String why, Volume volume, StandbyRecords records, ReconcileContext context)
      throws StorageException {
    StandbyStatus standby = volume.status().standby();
    if (new StandbySnapshots(volume, context).holdForRevert()) {
      return decided(StandbyState.REVERTING, why, standby, records);
    }
    var unused =
        records.write(
            standby.withMessage(
                "snapshot "
                    + standby.snapshot()
                    + " is gone, so only spec.standbyActivation complete is possible"));
    return Result.after(RETRY);
  }

  private static Result decided(
      StandbyState state, String why, StandbyStatus standby, StandbyRecords records)
      throws StorageException {
    if (standby.state() != state) {
      var unused = records.write(standby.withState(state).withMessage(why));
    }
    return Result.DONE;
  }

  /** Makes a volume with complete content an ordinary one. */
  Result complete(Volume volume, ReconcileContext context) throws StorageException {
    new StandbySnapshots(volume, context).deleteAll();
    StandbyStatus standby = volume.status().standby();
    String backup = volume.status().restore().backup();
    boolean latest = !backup.equals(standby.lastRestored());
    var unused =
        new StandbyRecords(volume, context)
            .write(
                volume
                    .status()
                    .withStandby(
                        StandbyStatus.EMPTY
                            .withState(StandbyState.ACTIVATED)
                            .withLastRestored(backup)
                            .withLastRestoredAt(
                                latest ? standby.appliedAt() : standby.lastRestoredAt())
                            .withMessage(standby.message()))
                    .withConditions(
                        volume.status().conditions().stream()
                            .filter(c -> !c.type().equals(Volume.STANDBY_CURRENT_CONDITION))
                            .toList()));
    context.events().normal(volume, "Activated", "its content is that of backup " + backup);
    return Result.DONE;
  }
}
