package dev.holdfast.commands.verbs;

import dev.holdfast.client.DeletedVolumes;
import dev.holdfast.client.Volumes;
import dev.holdfast.commands.DeletedVolumeViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;

/** The verb {@code volume delete} and the verbs for deleted volumes. */
final class DeletedVolumeVerbs {
  private static final VerbOption<Boolean> WHEN_DETACHED =
      VerbOption.flag(
              "--when-detached", "Delete it once it is detached and no workload asks for it.")
          .given(VerbOption.Presence.EXCLUSIVE);
  private static final VerbOption<Boolean> CANCEL =
      VerbOption.flag(
              "--cancel",
              "Cancel a deletion that '--when-detached' requested, while the volume "
                  + "is attached.")
          .given(VerbOption.Presence.EXCLUSIVE);
  private static final VerbOption<String> GRACE =
      VerbOption.of(
          "--grace",
          "TIME",
          String.class,
          "How long its content is kept, from 0s to 30d. Default: the setting deletion-grace.");

  /** Option of {@code volume list}. */
  static final VerbOption<Boolean> DELETED =
      VerbOption.flag("--deleted", "Show the deleted volumes whose content is kept.");

  private static final VerbArgument<String> NAME =
      VerbArgument.of(
          "NAME", String.class, Candidates.DELETED_VOLUMES, "The deleted volume's name.");

  static final Verb DELETE =
      new Verb(
          "volume delete",
          List.of(Common.VOLUME),
          List.of(WHEN_DETACHED, CANCEL, GRACE, Common.NO_WAIT, Common.TIMEOUT),
          """
          Delete a volume; an attached one is refused.
          Its content is kept for a time in which 'volume undelete' takes the deletion back.""",
          DeletedVolumeVerbs::delete);

  static final Verb UNDELETE =
      new Verb(
          "volume undelete",
          List.of(NAME),
          List.of(Common.NO_WAIT, Common.TIMEOUT),
          "Take the deletion of a volume back: it exists again with its content and snapshots.",
          DeletedVolumeVerbs::undelete);

  static final Verb PURGE =
      new Verb(
          "volume purge",
          List.of(NAME),
          List.of(Common.CONFIRM, Common.NO_WAIT, Common.TIMEOUT),
          "Remove the content of a deleted volume before its time.",
          DeletedVolumeVerbs::purge);

  private DeletedVolumeVerbs() {}

  static Output list(VerbCall call) throws StorageException {
    return new DeletedVolumeViews().deletedVolumes(deletedVolumes(call).list());
  }

  /** Explains a volume that does not exist; empty unless its content is retained. */
  static Optional<Output> why(VerbCall call, String name) throws StorageException {
    return deletedVolumes(call).readable(name).map(new DeletedVolumeViews()::explanation);
  }

  private static Output delete(VerbCall call) throws StorageException {
    Volumes volumes = new Volumes(call.context().store());
    VolumeViews views = new VolumeViews(call.context().clock());
    String name = call.get(Common.VOLUME);
    if (call.has(CANCEL)) {
      return views.deletionCancelled(volumes.cancelDeletion(name));
    }
    Optional<String> grace = call.value(GRACE);
    if (grace.isPresent() && !DeletionGrace.isValid(grace.get())) {
      throw new WrongUse(GRACE.name() + " " + grace.get() + ": expected " + DeletionGrace.FORM);
    }
    if (call.has(WHEN_DETACHED)) {
      return views.deletedWhenDetached(volumes.deleteWhenDetached(name, grace));
    }
    call.context().mounts().requireUnmounted(name);
    Optional<Volume> remaining = volumes.delete(name, grace, call.waiting());
    Optional<DeletedVolume> kept =
        remaining.isPresent() ? Optional.empty() : deletedVolumes(call).find(name);
    return kept.isPresent()
        ? new DeletedVolumeViews().kept(kept.get())
        : views.deleted(name, remaining);
  }

  private static Output undelete(VerbCall call) throws StorageException {
    String name = call.get(NAME);
    return new DeletedVolumeViews()
        .undeleted(name, deletedVolumes(call).undelete(name, call.waiting()));
  }

  private static Output purge(VerbCall call) throws StorageException {
    String name = call.get(NAME);
    Common.requireConfirmation(
        call, name, "the content of the deleted volume " + name + " is lost");
    return new DeletedVolumeViews().purged(name, deletedVolumes(call).purge(name, call.waiting()));
  }

  private static DeletedVolumes deletedVolumes(VerbCall call) throws StorageException {
    return new DeletedVolumes(call.context().store());
  }
}
