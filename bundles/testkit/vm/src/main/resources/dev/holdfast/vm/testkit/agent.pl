# Runs the commands of a VmHost inside its virtual machine. Arguments: address, port and word of the
# test's process. Each command has a connection of its own, which is opened before it is needed:
#
#   word "\n"                            to the test
#   count { length text }                command and arguments, numbers as 4 bytes
#   "I" length data | "E" 0 | "K" 0      input, end of input, kill
#   "B" 0                                the program has begun
#   "O" length data | "R" length data    output, error output
#   "X" 4 code                           exit code, the last frame
#   "F" length reason                    it could not be started, the only frame
#
# It ends when the test's process closes the connection that waits.
use strict;
use warnings;
use IO::Socket::INET;
use POSIX qw(:sys_wait_h);
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my ($address, $port, $word) = @ARGV;
$SIG{PIPE} = 'IGNORE';
$ENV{LC_ALL} = 'C';

sub fully {
  my ($socket, $count) = @_;
  my $bytes = '';
  while (length $bytes < $count) {
    my $read = sysread($socket, $bytes, $count - length $bytes, length $bytes);
    return undef unless $read;
  }
  return $bytes;
}

sub send_all {
  my ($handle, $bytes) = @_;
  my $sent = 0;
  while ($sent < length $bytes) {
    my $written = syswrite($handle, $bytes, length($bytes) - $sent, $sent);
    return 0 unless $written;
    $sent += $written;
  }
  return 1;
}

sub frame { return $_[0] . pack('N', length $_[1]) . $_[1] }

sub command {
  my ($socket, $count) = @_;
  my @words;
  for (1 .. $count) {
    my $length = fully($socket, 4);
    push @words, $length eq pack('N', 0) ? '' : fully($socket, unpack('N', $length));
  }
  return @words;
}

sub begin {
  my (@words) = @_;
  pipe(my $in, my $to) and pipe(my $from, my $out) and pipe(my $errors, my $err) or die $!;
  pipe(my $began, my $failed) or die $!; # closed by exec
  my $pid = fork // die $!;
  if ($pid == 0) {
    setpgrp;
    $SIG{PIPE} = 'DEFAULT';
    open(STDIN, '<&', $in);
    open(STDOUT, '>&', $out);
    open(STDERR, '>&', $err);
    close $_ for $in, $to, $from, $out, $errors, $err, $began;
    chdir '/';
    no warnings 'exec';
    exec { $words[0] } @words;
    send_all($failed, "$!");
    POSIX::_exit(127);
  }
  close $_ for $in, $out, $err, $failed;
  my $reason = '';
  sysread($began, $reason, 1000);
  return ($pid, $to, $from, $errors, $reason);
}

# A connection that is closed with unread input is reset, and its last frame may be lost.
sub finish {
  my ($socket, $last) = @_;
  if (send_all($socket, $last)) {
    shutdown($socket, 1);
    1 while sysread($socket, my $unread, 65536);
  }
  POSIX::_exit(0);
}

# A child that the command left may keep its output open: then what was printed until its end counts.
sub serve {
  my ($socket, $count) = @_;
  my ($pid, $to, $from, $errors, $reason) = begin(command($socket, $count));
  if ($reason ne '') {
    finish($socket, frame('F', $reason));
  }
  send_all($socket, frame('B', ''));
  my %kind = (fileno($from) => 'O', fileno($errors) => 'R');
  my %open = (fileno($from) => $from, fileno($errors) => $errors);
  my $status;
  while (1) {
    if (!defined $status && waitpid($pid, %open ? WNOHANG : 0) == $pid) { $status = $? }
    my $readable = '';
    vec($readable, $_, 1) = 1 for keys %open, defined $status ? () : fileno($socket);
    my $found = select($readable, undef, undef, defined $status ? 0 : 0.02);
    last if defined $status && $found <= 0;
    next if $found <= 0;
    for my $number (grep { vec($readable, $_, 1) } keys %open) {
      if (sysread($open{$number}, my $data, 65536)) {
        send_all($socket, frame($kind{$number}, $data)) or last;
      } else {
        delete $open{$number};
      }
    }
    next unless !defined $status && vec($readable, fileno($socket), 1);
    my $head = fully($socket, 5);
    my ($type, $length) = defined $head ? unpack('aN', $head) : ('K', 0);
    if ($type eq 'I') {
      send_all($to, fully($socket, $length)) if $to;
    } elsif ($type eq 'E') {
      close $to if $to;
      undef $to;
    } else {
      kill 'KILL', -$pid;
      POSIX::_exit(1) unless defined $head;
    }
  }
  my $code = $status & 127 ? 128 + ($status & 127) : $status >> 8;
  finish($socket, frame('X', pack('N', $code)));
}

while (1) {
  my $socket = IO::Socket::INET->new(PeerAddr => $address, PeerPort => $port, Proto => 'tcp')
    or exit 0; # the test has ended
  setsockopt($socket, IPPROTO_TCP, TCP_NODELAY, pack('i', 1));
  send_all($socket, "$word\n");
  my $count = fully($socket, 4);
  exit 0 unless defined $count;
  my $child = fork // die $!;
  serve($socket, unpack('N', $count)) if $child == 0;
  close $socket;
  1 while waitpid(-1, WNOHANG) > 0;
}
