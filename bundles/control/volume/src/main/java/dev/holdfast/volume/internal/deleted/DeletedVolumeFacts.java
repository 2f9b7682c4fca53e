package dev.holdfast.volume.internal.deleted;

import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.volume.Volume;
import java.time.Instant;
import java.util.Optional;

/**
 * Input of a step of a deleted volume.
 *
 * @param deleted the deleted volume
 * @param volume the volume with its name, which may be a different volume
 * @param owned whether an engine, a replica or a snapshot belongs to the deleted volume
 * @param dataLeft whether an engine or a replica belongs to the deleted volume
 * @param now the time
 */
public record DeletedVolumeFacts(
    DeletedVolume deleted, Optional<Volume> volume, boolean owned, boolean dataLeft, Instant now) {}
