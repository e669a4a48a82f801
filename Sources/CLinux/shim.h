#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Calls that the C library declares only under _GNU_SOURCE, which a module must not set for those who import it.

int accept4(int socket, struct sockaddr *_Nullable address, socklen_t *_Nullable length, int flags);
