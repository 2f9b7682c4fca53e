/** Reports of the nodes about the settings of the cluster. */
package dev.holdfast.volume.internal.setting;
