/** Which hosts may use exports of engines, and by which credentials. */
package dev.holdfast.datapath.internal.hosts;
