# Prints a line such as "tcp 192.0.2.1 80" for each attempted TCP connection and each UDP packet that is sent.
use strict;
use Socket qw(:DEFAULT inet_ntop);
$| = 1;
socket(my $all, 17, SOCK_DGRAM, 0x0300) or die "no packet socket: $!"; # AF_PACKET, every protocol
setsockopt($all, SOL_SOCKET, 33, 64 * 1024 * 1024); # SO_RCVBUFFORCE: room for bursts
print "ready\n";
while (my $from = recv($all, my $packet, 128, 0)) {
  next unless unpack('x10 C', $from) == 4; # outgoing packets only, as loopback shows each packet twice
  my $version = ord($packet) >> 4;
  my ($protocol, $address, $rest);
  if ($version == 4) {
    ($protocol, $address) = (ord(substr $packet, 9, 1), inet_ntop(AF_INET, substr $packet, 16, 4));
    $rest = substr $packet, 4 * (ord($packet) & 15);
  } elsif ($version == 6) {
    ($protocol, $address) = (ord(substr $packet, 6, 1), inet_ntop(AF_INET6, substr $packet, 24, 16));
    $rest = substr $packet, 40;
  } else {
    next;
  }
  next unless length($rest) >= 4;
  my $port = unpack 'x2 n', $rest;
  print "udp $address $port\n" if $protocol == 17;
  print "tcp $address $port\n" if $protocol == 6 && (unpack('x13 C', $rest) & 0x12) == 2; # SYN without ACK
}
