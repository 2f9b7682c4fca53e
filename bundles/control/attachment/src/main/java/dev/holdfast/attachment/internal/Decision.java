package dev.holdfast.attachment.internal;

import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.Optional;

/**
 * Resources to write.
 *
 * @param volumeSpec the volume's spec, empty if the volume does not exist
 * @param status of the attachment
 */
record Decision(Optional<VolumeSpec> volumeSpec, VolumeAttachmentStatus status) {}
