package dev.holdfast.volume.internal.deleted;

import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.volume.Volume;
import java.time.Instant;
import java.util.Optional;

/**
 * All that a step of a deleted volume depends on.
 *
 * @param deleted the deleted volume
 * @param volume the volume of its name, which may be another one
 * @param owned whether an engine, a replica or a snapshot belongs to the deleted volume
 * @param dataLeft whether an engine or a replica belongs to the deleted volume
 * @param now the time
 */
public record DeletedVolumeFacts(
    DeletedVolume deleted, Optional<Volume> volume, boolean owned, boolean dataLeft, Instant now) {}
